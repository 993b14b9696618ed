/** Deletes the DaemonJob some time after its end. Its Jobs go with it. */
import type { DaemonJobStatus } from '#shared/api/daemon-job.ts';
import { parentTtlDueMs } from '#shared/parents/parent-ttl.ts';
import { isEndless, type Situation } from './situation.ts';

/** When to delete it, milliseconds since the epoch. Undefined: never. */
export function ttlDueMs(situation: Situation, status: DaemonJobStatus): number | undefined {
  return isEndless(situation) ? undefined : parentTtlDueMs(situation.daemonJob.spec, status);
}

/** By the end that is on record. */
export function hasTtlPassed(situation: Situation): boolean {
  const dueMs = ttlDueMs(situation, situation.status);
  return dueMs !== undefined && dueMs <= situation.nowMs;
}
