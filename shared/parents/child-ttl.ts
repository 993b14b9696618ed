/**
 * The TTL of children (law 3): a Job must not vanish before its result is on record. Ours are created without
 * one. Somebody else may set it all the same, an admission of the cluster or a user: it is taken off, noted
 * on the Job, and given back when the result is on record.
 */
import { isFinishedJob } from '#shared/domain/child-state.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import type { PatchOperation } from '#shared/domain/plan.ts';
import { childPatch } from './child-writes.ts';
import type { Family } from './family.ts';

/**
 * A TTL is given only once the result stands in the status that was read: not in the plan that records it,
 * since that write may still be refused. Both are final: nobody looks at the children of what is over.
 */
export function ttlPatches({ namespace, jobs, isRecorded }: Family): readonly PatchOperation[] {
  return jobs.flatMap((job) => {
    if (job.deletionTimestamp !== undefined) return [];
    const { ttlSecondsAfterFinished: ttl } = job;
    if (ttl !== undefined) return isRecorded(job) ? [] : [withoutTtl(namespace, job, ttl)];
    const seconds = notedTtl(job);
    if (seconds === undefined || !isFinishedJob(job) || !isRecorded(job)) return [];
    const patch = { spec: { ttlSecondsAfterFinished: seconds } };
    return [{ ...childPatch(namespace, job, patch), isFinal: true as const }];
  });
}

/** A finished child waits for its TTL until its result is on record. */
export function isTtlWithheld({ jobs, isRecorded }: Family): boolean {
  return jobs.some(
    (job) =>
      job.deletionTimestamp === undefined &&
      isFinishedJob(job) &&
      (job.ttlSecondsAfterFinished !== undefined || notedTtl(job) !== undefined) &&
      !isRecorded(job),
  );
}

/** It has ended, and its TTL is to be given back. */
export function awaitsTtl(job: ObservedJob): boolean {
  if (job.deletionTimestamp !== undefined || !isFinishedJob(job)) return false;
  return job.ttlSecondsAfterFinished === undefined && notedTtl(job) !== undefined;
}

/** What the template says stays noted, if it says anything. */
function withoutTtl(namespace: string, job: ObservedJob, seconds: number): PatchOperation {
  const noted = notedTtl(job) ?? seconds;
  const patch = {
    metadata: { annotations: { [annotations.ttlSecondsAfterFinished]: String(noted) } },
    spec: { ttlSecondsAfterFinished: null },
  };
  return { ...childPatch(namespace, job, patch), isFinal: true };
}

/** Users can write to the note: emptied, it must not stand for 0. */
const wholeSeconds = /^[0-9]+$/;

function notedTtl(job: ObservedJob): number | undefined {
  const noted = job.annotations[annotations.ttlSecondsAfterFinished] ?? '';
  return wholeSeconds.test(noted) ? Number(noted) : undefined;
}
