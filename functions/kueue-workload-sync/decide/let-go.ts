/** The job is gone or being deleted: its Workloads are released once nothing of it runs any more (step 1). */
import { queuedKindOf } from '#shared/api/work/queued-kinds.ts';
import type { Decision } from '#shared/domain/decision.ts';
import { controllerOf } from '#shared/domain/objects.ts';
import { parseTime } from '#shared/domain/time.ts';
import { counted } from '#shared/domain/wording.ts';
import type { QueueSnapshot } from '../snapshot.ts';
import { asWorkload, holds } from '../workload.ts';
import { conditionsWith, patchWorkloadStatus, present, withoutFinalizer } from './operations.ts';
import { written } from './outcome.ts';

/** The end of Jobs under deletion wakes nothing here. The wait doubles from this value on, milliseconds. */
const leastWaitMs = 1_000;

export function letGo(snapshot: QueueSnapshot, nowMs: number): Decision {
  const all = snapshot.workloads.map(asWorkload);
  const left = whatIsLeft(snapshot);
  if (left !== undefined) {
    const message = `${left}: the quota is held until then`;
    const waitMs = Math.max(leastWaitMs, nowMs - (goesSinceMs(snapshot) ?? nowMs));
    return { ...written('Ending', message, []), requeueAtMs: nowMs + waitMs };
  }
  const message = "The workload's owner no longer exists";
  const orphans = all.filter(
    (each) => each.metadata.deletionTimestamp === undefined && !holds(each, 'Finished'),
  );
  // A Workload under deletion frees its quota with its finalizer.
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
  // Without an owner, no event of the Workload leads here.
  const isUnled = orphans.some(({ metadata }) => controllerOf(metadata) === undefined);
  return {
    ...written('OwnerNotFound', message, [freed, finished]),
    ...(isUnled ? { requeueAtMs: nowMs + leastWaitMs } : {}),
  };
}

function goesSinceMs({ job, workloads }: QueueSnapshot): number | undefined {
  const [first] = [job, ...workloads]
    .flatMap((each) => parseTime(each?.metadata.deletionTimestamp) ?? [])
    .sort((left, right) => left - right);
  return first;
}

/** Undefined: nothing of the job runs any more. */
function whatIsLeft({ key, job, jobsLeft = 0 }: QueueSnapshot): string | undefined {
  if (jobsLeft > 0)
    return `${counted(jobsLeft, 'Job')} ${jobsLeft === 1 ? 'has' : 'have'} not ended`;
  const { jobs, isActive } = queuedKindOf(key).queueing;
  if (jobs !== undefined || job === undefined || !isActive(job)) return undefined;
  return 'its Pods have not ended';
}
