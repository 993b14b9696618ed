import { requirePart } from '../require-part.ts';
import type { FlowPicture } from './flow-picture.ts';
import { progressOf } from './words.ts';

/** Throws CommandFailure if the object has no such part. */
export function requirePartOf({ name, steps }: FlowPicture, kind: string, part: string): void {
  const parts = steps.map((step) => step.name);
  requirePart({ kind, name }, part, parts);
}

/** The picture reduced to this part. It has ended when the part has. */
export function pictureOfPart(picture: FlowPicture, part: string): FlowPicture {
  const steps = picture.steps.filter(({ name }) => name === part);
  const isOver = picture.isEnded || steps.every(({ state }) => overStates.has(state));
  return {
    ...picture,
    ...{ steps, progress: progressOf(picture) },
    isEnded: steps.length > 0 && isOver,
    hasFailed: steps.some(({ state }) => state !== 'Succeed'),
  };
}

const overStates: ReadonlySet<string> = new Set(['Succeed', 'Failed', 'Skipped']);
