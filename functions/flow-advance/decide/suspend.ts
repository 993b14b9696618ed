/**
 * Stopping and resuming children together with the flow (rule 15). Only what carries our mark is
 * resumed: a child that its template or a person suspended is a gate that is not ours to open.
 */
import { annotations } from '#shared/domain/labels.ts';
import type { PatchOperation } from '#shared/domain/plan.ts';
import type { ObservedJob } from '../snapshot.ts';
import { isFinishedJob } from './child-state.ts';
import { childPatch } from './child-patch.ts';
import { stopsRunning, type Situation } from './situation.ts';
import type { Step } from './steps.ts';

export function suspensionPatches(situation: Situation): readonly PatchOperation[] {
  const stops = stopsRunning(situation);
  return situation.snapshot.jobs.flatMap((job) => {
    if (isFinishedJob(job) || job.deletionTimestamp !== undefined) return [];
    if (stops) return job.suspend ? [] : [stopped(situation, job)];
    return isMarked(situation, job) ? [resumed(situation, job)] : [];
  });
}

/** Of a suspended flow: every child has stopped, or none is to be stopped. */
export function isSettled(situation: Situation, steps: readonly Step[]): boolean {
  if (!stopsRunning(situation)) return true;
  return steps.every(({ record }) => record.state !== 'Running' && record.state !== 'Pending');
}

function isMarked({ flow }: Situation, job: ObservedJob): boolean {
  return job.annotations[annotations.suspendedBy] === flow.metadata.uid;
}

function stopped(situation: Situation, job: ObservedJob): PatchOperation {
  const mark = { [annotations.suspendedBy]: situation.flow.metadata.uid };
  const patch = { metadata: { annotations: mark }, spec: { suspend: true } };
  // Nobody looks at the children of a flow that is over, so nobody would resume it.
  return { ...childPatch(situation, job, patch), isFinal: true };
}

function resumed(situation: Situation, job: ObservedJob): PatchOperation {
  const mark = { [annotations.suspendedBy]: null };
  const patch = { metadata: { annotations: mark }, spec: { suspend: false } };
  const { resourceVersion } = job;
  return {
    ...childPatch(situation, job, patch),
    // Somebody may have resumed it meanwhile and suspended it again: then the gate is not ours.
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}
