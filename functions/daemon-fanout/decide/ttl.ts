/** Removing the DaemonJob some time after its end; its Jobs go with it. */
import type { DaemonJobStatus } from '#shared/api/daemon-job.ts';
import { parseTime } from '#shared/domain/time.ts';
import { isEndless, type Situation } from './situation.ts';

/** When it is to be deleted, milliseconds since the epoch; undefined: never. */
export function ttlDueMs(situation: Situation, status: DaemonJobStatus): number | undefined {
  const { ttlSecondsAfterFinished } = situation.daemonJob.spec;
  if (ttlSecondsAfterFinished === undefined || isEndless(situation)) return undefined;
  const completedMs = parseTime(status.completionTime);
  return completedMs === undefined ? undefined : completedMs + ttlSecondsAfterFinished * 1_000;
}

/** Of the end that is on record. */
export function hasTtlPassed(situation: Situation): boolean {
  const dueMs = ttlDueMs(situation, situation.status);
  return dueMs !== undefined && dueMs <= situation.nowMs;
}
