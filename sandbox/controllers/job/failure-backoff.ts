/** How long a Job waits before it replaces a failed Pod (pkg/controller/job/backoff_utils.go). */
import { finishedAtMs, type Pod } from '../objects/pod.ts';

export interface FailureRecord {
  readonly failuresSinceSuccess: number;
  readonly lastFailureMs: number | undefined;
}

export const noFailure: FailureRecord = { failuresSinceSuccess: 0, lastFailureMs: undefined };

const firstDelayMs = 10_000;
const longestDelayMs = 600_000;

/** The record after Pods have ended. A success clears earlier failures. */
export function afterPods(
  record: FailureRecord,
  succeeded: readonly Pod[],
  failed: readonly Pod[],
): FailureRecord {
  if (succeeded.length === 0 && failed.length === 0) return record;
  const lastSuccessMs = Math.max(...succeeded.map(finishedAtMs), -Infinity);
  const counted = failed.map(finishedAtMs).filter((ms) => ms > lastSuccessMs);
  const before = succeeded.length === 0 ? record.failuresSinceSuccess : 0;
  return {
    failuresSinceSuccess: before + counted.length,
    lastFailureMs: counted.length === 0 ? undefined : Math.max(...counted),
  };
}

/** The time from which a Pod may be created. Undefined: at once. */
export function replacedFrom(record: FailureRecord, nowMs: number): number | undefined {
  const { failuresSinceSuccess, lastFailureMs } = record;
  if (failuresSinceSuccess === 0 || lastFailureMs === undefined) return undefined;
  const delay = Math.min(longestDelayMs, firstDelayMs * 2 ** (failuresSinceSuccess - 1));
  return lastFailureMs + delay > nowMs ? lastFailureMs + delay : undefined;
}
