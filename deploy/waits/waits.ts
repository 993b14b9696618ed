/**
 * Every reason for which an object of Millrace stands still, with what a user sees. `docs/waits.md` is made from
 * this list. test/functions/waits.test.ts makes each one happen and compares, so a new reason needs an entry here
 * and a scenario in test/support/waits. A test fails for a reason in the code that is neither here nor in
 * `other-reasons.ts`.
 */
import type { Wait } from './wait.ts';
import { waitsOfDaemonJobs } from './waits-of-daemon-jobs.ts';
import { waitsOfFlows } from './waits-of-flows.ts';
import { waitsOfPolicies } from './waits-of-policies.ts';

export const waits: readonly Wait[] = [...waitsOfFlows, ...waitsOfDaemonJobs, ...waitsOfPolicies];
