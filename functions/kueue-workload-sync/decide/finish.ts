/** The end of a job, and what happens to its Workload afterwards (steps 10 and 13). */
import type { Decision } from '#shared/domain/decision.ts';
import type { End } from '#shared/api/work/queueing/queueing.ts';
import { conditionOf, type Workload } from '../workload.ts';
import { givingUp } from './given-up.ts';
import {
  conditionsWith,
  deleteWorkload,
  event,
  nameOf,
  patchJob,
  patchWorkloadStatus,
  withoutFinalizer,
} from './operations.ts';
import { notYet, noted, written } from './outcome.ts';
import type { Situation } from './situation.ts';
import { stopStages, suspended } from './stop.ts';

/**
 * A failed job may be retried by hand. So it is suspended before its quota is returned; a retry then waits for
 * another admission.
 */
export function finish(
  situation: Situation,
  workload: Workload,
  { isSuccess, message }: End,
): Decision {
  const { nowMs } = situation;
  const reason = isSuccess ? 'Succeeded' : 'Failed';
  const status = conditionsWith(
    workload,
    [{ type: 'Finished', status: 'True', reason, message }],
    nowMs,
  );
  const suspends = !isSuccess && !situation.isSuspended && !situation.isElsewhere;
  return written('FinishedWorkload', message, [
    ...(suspends
      ? [
          [
            patchJob(situation, {
              metadata: { annotations: givingUp([workload]) },
              spec: suspended(situation),
            }),
          ],
        ]
      : []),
    [patchWorkloadStatus(workload, status)],
  ]);
}

/** Reasons that say how the job ended. After any other reason nothing of it may start. */
const ends: ReadonlySet<string> = new Set(['Succeeded', 'Failed']);

export function release(situation: Situation, workload: Workload): Decision {
  const { kind, job } = situation;
  const finished = conditionOf(workload, 'Finished');
  const without = withoutFinalizer(workload);
  // A job that runs in another cluster has ended there, and its status may follow.
  if (kind.endOf(job) === undefined && !situation.isElsewhere) {
    const message = finished?.message ?? '';
    const stages = stopStages(situation, message);
    if (stages.length > 0) return written('Finished', message, stages);
    // The job was started again: it waits for another admission.
    if (ends.has(finished?.reason ?? '')) {
      return written('RetriedByHand', 'another Workload takes its place', [
        ...(without === undefined ? [] : [[without]]),
        [deleteWorkload(workload)],
      ]);
    }
    if (without === undefined) return noted(situation, message);
  }
  if (without === undefined) return notYet('Finished', 'its Workload is finished');
  const message = `Workload '${nameOf(workload)}' is declared finished`;
  const occurrence = workload.metadata.uid;
  return written('FinishedWorkload', message, [
    [event(situation, 'FinishedWorkload', message, { occurrence })],
    [without],
  ]);
}
