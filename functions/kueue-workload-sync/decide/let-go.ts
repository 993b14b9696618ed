/** The job is gone, or goes: its Workloads may go with it as soon as nothing of it runs any more (step 1). */
import type { Decision } from '#shared/domain/decision.ts';
import type { QueueSnapshot } from '../snapshot.ts';
import { asWorkload, holds } from '../workload.ts';
import { conditionsWith, patchWorkloadStatus, present, withoutFinalizer } from './operations.ts';
import { written } from './outcome.ts';

/** Jobs under deletion tell nobody here that they have ended, milliseconds. */
const againMs = 1_000;

export function letGo({ workloads, jobsLeft = 0 }: QueueSnapshot, nowMs: number): Decision {
  const all = workloads.map(asWorkload);
  if (jobsLeft > 0) {
    const message = `${jobsLeft} Jobs have not ended: the quota is held until then`;
    return { ...written('Ending', message, []), requeueAtMs: nowMs + againMs };
  }
  const message = "The workload's owner no longer exists";
  const orphans = all.filter(
    (each) => each.metadata.deletionTimestamp === undefined && !holds(each, 'Finished'),
  );
  // What is to be deleted frees its quota with its finalizer.
  const finished = orphans.map((each) => {
    const condition = {
      type: 'Finished',
      status: 'True',
      reason: 'OwnerNotFound',
      message,
    } as const;
    return patchWorkloadStatus(each, conditionsWith(each, [condition], nowMs));
  });
  const others = all.filter((each) => !orphans.includes(each));
  const freed = others.flatMap((each) => present(withoutFinalizer(each)));
  return written('OwnerNotFound', message, [freed, finished]);
}
