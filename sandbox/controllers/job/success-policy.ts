/** When an Indexed Job succeeds early (KEP-3998, pkg/controller/job/success_policy.go). */
import type { SuccessPolicy } from '../objects/job.ts';
import { type Intervals, overlap, parseIntervals, total } from './index-intervals.ts';

/** The message of the condition. Undefined: no rule is met. */
export function successPolicyMet(
  policy: SuccessPolicy | undefined,
  completions: number,
  succeeded: Intervals,
): string | undefined {
  if (policy === undefined || succeeded.length === 0) return undefined;
  const index = policy.rules.findIndex(({ succeededIndexes, succeededCount }) => {
    const enough = (count: number) => succeededCount !== undefined && count >= succeededCount;
    if (succeededIndexes === undefined) return enough(total(succeeded));
    const required = parseIntervals(succeededIndexes, completions);
    const reached = overlap(required, succeeded);
    return required.length > 0 && (reached === total(required) || enough(reached));
  });
  return index === -1 ? undefined : `Matched rules at index ${index}`;
}
