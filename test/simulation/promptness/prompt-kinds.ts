/** The kinds whose promptness is judged; add a kind here. */
import type { PromptKind } from './owed.ts';
import { promptDaemonJobs } from './prompt-daemon-jobs.ts';
import { promptFlows } from './prompt-flows.ts';

export const promptKinds: readonly PromptKind[] = [promptFlows, promptDaemonJobs];
