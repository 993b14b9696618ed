/**
 * Stopping and resuming children together with their owner (rule 15). Only what carries our mark is
 * resumed: a child that its template or a person suspended is a gate that is not ours to open.
 */
import { annotations } from '#shared/domain/labels.ts';
import type { PatchOperation } from '#shared/domain/plan.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import { isFinishedJob } from '#shared/domain/child-state.ts';
import { childPatch } from './child-writes.ts';
import type { Family } from './family.ts';

/** What becomes of children: they stop, stay as they are, or go on where their owner stopped them. */
export type ChildSuspension = 'stop' | 'leave' | 'resume';

/** Those that are deleted anyway are left alone. */
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
  // Nobody looks at the children of what is over, so nobody would resume it.
  return { ...childPatch(namespace, job, patch), isFinal: true };
}

function resumed({ namespace }: Family, job: ObservedJob): PatchOperation {
  const mark = { [annotations.suspendedBy]: null };
  const patch = { metadata: { annotations: mark }, spec: { suspend: false } };
  const { resourceVersion } = job;
  return {
    ...childPatch(namespace, job, patch),
    // Somebody may have resumed it meanwhile and suspended it again: then the gate is not ours.
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}
