/** Every rule on Pods, in the order in which they are reported. */
import { baselineRules } from './baseline-rules.ts';
import { batchRules } from './batch-rules.ts';
import type { PodRule } from './pod-rule.ts';
import { restrictedRules } from './restricted-rules.ts';

export const podRules = [
  ...baselineRules,
  ...restrictedRules,
  ...batchRules,
] as const satisfies readonly PodRule[];

export type PodRuleName = (typeof podRules)[number]['name'];
