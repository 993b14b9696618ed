/**
 * The job has left its queue: its label was removed while it was suspended (step 5). Its Workload would hold quota, and
 * its note would name the queue.
 */
import type { Decision } from '#shared/domain/decision.ts';
import { annotations } from '#shared/domain/labels.ts';
import { notedQueue } from '#shared/domain/queued-note.ts';
import { patchJob, removalOf } from './operations.ts';
import { notYet, written } from './outcome.ts';
import type { Situation } from './situation.ts';

export function leave(situation: Situation): Decision {
  const { job, kind, isSuspended, workloads } = situation;
  const message = 'it has no label of a queue';
  // The quota is kept while its Pods are being stopped.
  if (workloads.length > 0 && isSuspended && kind.isActive(job)) {
    return notYet('NotQueued', `${message}; its Workload is deleted once nothing of it runs`);
  }
  const marks = {
    ...(notedQueue(job.metadata) === undefined ? {} : { [annotations.queued]: null }),
    ...(job.metadata.annotations?.[annotations.givenUp] === undefined
      ? {}
      : { [annotations.givenUp]: null }),
  };
  // The marks go last: after a crash they lead here again.
  return written('NotQueued', message, [
    ...removalOf(workloads),
    Object.keys(marks).length === 0
      ? []
      : [patchJob(situation, { metadata: { annotations: marks } })],
  ]);
}
