import { badSpecCases } from './bad-spec-cases.ts';
import { badStepCases } from './bad-step-cases.ts';
import { badDaemonJobCases, goodDaemonJobCases } from './daemon-job-cases.ts';
import { goodCases } from './good-cases.ts';
import { badSuspendPolicyCases, goodSuspendPolicyCases } from './suspend-policy-cases.ts';
import type { VerdictCase } from './verdict-case.ts';

export { beyondCrdCases } from './beyond-crd-cases.ts';
export { type VerdictCase } from './verdict-case.ts';

/** Objects on which Millrace's validator and the API server must agree. */
export const verdictTable: readonly VerdictCase[] = [
  ...goodCases,
  ...badStepCases,
  ...badSpecCases,
  ...goodDaemonJobCases,
  ...badDaemonJobCases,
  ...goodSuspendPolicyCases,
  ...badSuspendPolicyCases,
];
