/**
 * Stopping and resuming children together with their owner (rule 15). Only what carries our mark is
 * resumed: a child that its template or a person suspended is a gate that is not ours to open.
 */
import { annotations } from './labels.ts';
import type { PatchOperation } from './plan.ts';
import type { ObservedJob } from './observed-job.ts';
import { isFinishedJob } from './child-state.ts';
import { childPatch } from './child-patch.ts';
import type { Uid } from './objects.ts';

/** Of the owner with this uid. */
export interface Family {
  readonly owner: Uid;
  readonly namespace: string;
  readonly jobs: readonly ObservedJob[];
}

/** The children are to stop, or those are to go on that the owner stopped. */
export function suspensionPatches(family: Family, stops: boolean): readonly PatchOperation[] {
  return family.jobs.flatMap((job) => {
    if (isFinishedJob(job) || job.deletionTimestamp !== undefined) return [];
    if (stops) return job.suspend ? [] : [stopped(family, job)];
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
