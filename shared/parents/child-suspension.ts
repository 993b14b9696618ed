/**
 * Suspends and resumes children together with their owner (rule 15). Only children with Millrace's
 * mark are resumed. One that its template or a user suspended is a gate, which only a user may open.
 */
import { annotations } from '#shared/domain/labels.ts';
import type { PatchOperation } from '#shared/domain/plan.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import { isFinishedJob } from '#shared/domain/child-state.ts';
import { childPatch } from './child-writes.ts';
import type { Family } from './family.ts';

/** Suspend children, leave them, or resume those that their owner suspended. */
export type ChildSuspension = 'stop' | 'leave' | 'resume';

/** Children that are about to be deleted are left alone. */
export function suspensionPatches(
  family: Family,
  suspension: ChildSuspension,
  removed: readonly ObservedJob[] = [],
): readonly PatchOperation[] {
  if (suspension === 'leave') return [];
  return family.jobs.flatMap((job) => {
    if (isFinishedJob(job) || job.deletionTimestamp !== undefined) return [];
    if (removed.includes(job)) return [];
    if (suspension === 'stop') return job.suspend ? [] : [stopped(family, job)];
    return isMarked(family, job) ? [resumed(family, job)] : [];
  });
}

function isMarked({ owner }: Family, job: ObservedJob): boolean {
  return job.annotations[annotations.suspendedBy] === owner;
}

function stopped({ owner, namespace }: Family, job: ObservedJob): PatchOperation {
  const mark = { [annotations.suspendedBy]: owner };
  const patch = { metadata: { annotations: mark }, spec: { suspend: true } };
  // The children of an ended parent are not looked at again, so none would be resumed.
  return { ...childPatch(namespace, job, patch), isFinal: true };
}

function resumed({ namespace }: Family, job: ObservedJob): PatchOperation {
  const mark = { [annotations.suspendedBy]: null };
  const patch = { metadata: { annotations: mark }, spec: { suspend: false } };
  const { resourceVersion } = job;
  return {
    ...childPatch(namespace, job, patch),
    // A user may have resumed it meanwhile and suspended it again. Then the gate is theirs.
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    // The owner may have stopped since it was read, and its quota may be another's.
    isFinal: true,
  };
}
