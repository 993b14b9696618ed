/** What a suspended flow does about its children (rule 15). */
import { heldWords } from '#shared/domain/held-note.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import type { PatchOperation } from '#shared/domain/plan.ts';
import { suspensionPatches as patchesOn } from '#shared/domain/suspension.ts';
import { flowName } from './object-names.ts';
import { stopsRunning, type Situation } from './situation.ts';
import type { Step } from './steps.ts';

/** `removed`: Jobs that are to be deleted, which are neither stopped nor resumed before. */
export function suspensionPatches(
  situation: Situation,
  removed: readonly ObservedJob[] = [],
): readonly PatchOperation[] {
  const { flow, snapshot } = situation;
  const { namespace } = flowName(situation);
  const jobs = snapshot.jobs.filter((job) => !removed.includes(job));
  const family = { owner: flow.metadata.uid, namespace, jobs };
  return patchesOn(family, stopsRunning(situation));
}

/** Why a suspended flow is suspended: a policy says so in a note; without one it was a user. */
export function suspensionOf({ flow }: Situation): {
  readonly reason: 'HeldByPolicy' | 'FlowSuspended';
  readonly message: string;
} {
  const held = heldWords(flow.metadata);
  return held === undefined
    ? { reason: 'FlowSuspended', message: 'spec.suspend is true' }
    : { reason: 'HeldByPolicy', message: held };
}

/** Of a suspended flow: every child has stopped, or none is to be stopped. */
export function isSettled(situation: Situation, steps: readonly Step[]): boolean {
  if (!stopsRunning(situation)) return true;
  return steps.every(({ record }) => record.state !== 'Running' && record.state !== 'Pending');
}
