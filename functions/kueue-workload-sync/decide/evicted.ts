/**
 * When Kueue takes an admission back, the job is stopped. Its quota is returned once nothing of it runs. Until then
 * the preempting job waits (step 17).
 */
import type { Condition } from '#shared/domain/conditions.ts';
import type { Decision } from '#shared/domain/decision.ts';
import { parseTime } from '#shared/domain/time.ts';
import { conditionOf, holds, type Workload } from '../workload.ts';
import { givesUp } from './given-up.ts';
import { conditionsWith, patchWorkloadStatus, present } from './operations.ts';
import { notYet, written } from './outcome.ts';
import { readyNoMore, reclaimed } from './report.ts';
import type { Situation } from './situation.ts';
import { stopStages } from './stop.ts';

/** Undefined: the job has stopped and holds no quota, so it waits like any other. */
export function giveWay(situation: Situation, workload: Workload): Decision | undefined {
  const evicted = conditionOf(workload, 'Evicted');
  if (evicted?.status !== 'True') return undefined;
  const { kind, job } = situation;
  const stages = stopStages(situation, evicted.message);
  if (stages.length > 0) return written('Evicted', evicted.message, stages);
  if (!holds(workload, 'QuotaReserved')) return undefined;
  if (kind.isActive(job)) return notYet('Evicted', `${evicted.message}; its Pods are ending`);
  return written('Evicted', evicted.message, [
    ...givesUp(situation, [workload]),
    [release(situation, workload, evicted)],
  ]);
}

/** After these evictions the Workload may be queued again at once. After others Kueue decides when. */
const comesBackAtOnce: ReadonlySet<string> = new Set(['Preempted', 'NodeFailures']);

/** A single write, so that the next admission does not request Pods that have succeeded. */
function release(situation: Situation, workload: Workload, { reason, message }: Condition) {
  const { nowMs } = situation;
  const checks = workload.status?.admissionChecks ?? [];
  const isReady = checks.every(({ state }) => state === 'Ready');
  const conditions = conditionsWith(
    workload,
    [
      {
        type: 'Requeued',
        status: comesBackAtOnce.has(reason) ? 'True' : 'False',
        ...{ reason, message },
      },
      { type: 'QuotaReserved', status: 'False', reason: 'Pending', message },
      {
        type: 'Admitted',
        status: 'False',
        reason: isReady ? 'NoReservation' : 'NoReservationUnsatisfiedChecks',
        message: 'The workload has no reservation',
      },
      ...present(readyNoMore(workload)),
    ],
    nowMs,
  );
  const status = {
    ...conditions,
    ...reclaimed(situation, workload),
    admission: null,
    ...pastSeconds(workload, nowMs),
  };
  return patchWorkloadStatus(workload, status);
}

function pastSeconds(workload: Workload, nowMs: number) {
  const admitted = conditionOf(workload, 'Admitted');
  const sinceMs = parseTime(admitted?.lastTransitionTime);
  if (admitted?.status !== 'True' || sinceMs === undefined) return {};
  const before = workload.status?.accumulatedPastExecutionTimeSeconds ?? 0;
  const seconds = Math.max(0, Math.floor((nowMs - sinceMs) / 1000));
  return { accumulatedPastExecutionTimeSeconds: before + seconds };
}
