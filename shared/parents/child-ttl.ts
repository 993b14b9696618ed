/**
 * The TTL of children (law 3): a Job must not vanish before its result is recorded. Millrace creates its Jobs
 * without a TTL. An admission of the cluster or a user may still set one. It is then removed, noted on the
 * Job, and set again when the result is recorded.
 */
import { isFinishedJob } from '#shared/domain/child-state.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import type { PatchOperation } from '#shared/domain/plan.ts';
import { childPatch } from './child-writes.ts';
import type { Family } from './family.ts';

/**
 * A TTL is set only after the result is in the status that was read. The plan that records the result is too
 * early, because its write may still be refused. Both patches are final: the children of an ended parent are
 * not looked at again.
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

/** Whether a finished child waits for its TTL until its result is recorded. */
export function isTtlWithheld({ jobs, isRecorded }: Family): boolean {
  return jobs.some(
    (job) =>
      job.deletionTimestamp === undefined &&
      isFinishedJob(job) &&
      (job.ttlSecondsAfterFinished !== undefined || notedTtl(job) !== undefined) &&
      !isRecorded(job),
  );
}

/** Whether it has ended and its TTL is to be set again. */
export function awaitsTtl(job: ObservedJob): boolean {
  if (job.deletionTimestamp !== undefined || !isFinishedJob(job)) return false;
  return job.ttlSecondsAfterFinished === undefined && notedTtl(job) !== undefined;
}

/** The template's own TTL stays noted, if it has one. */
function withoutTtl(namespace: string, job: ObservedJob, seconds: number): PatchOperation {
  const noted = notedTtl(job) ?? seconds;
  const patch = {
    metadata: { annotations: { [annotations.ttlSecondsAfterFinished]: String(noted) } },
    spec: { ttlSecondsAfterFinished: null },
  };
  return { ...childPatch(namespace, job, patch), isFinal: true };
}

/** Users can write to the note; an empty one must not count as 0. */
const wholeSeconds = /^[0-9]+$/;

function notedTtl(job: ObservedJob): number | undefined {
  const noted = job.annotations[annotations.ttlSecondsAfterFinished] ?? '';
  return wholeSeconds.test(noted) ? Number(noted) : undefined;
}
