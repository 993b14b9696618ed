/** The mark and note that a policy writes on an object that it holds. */
import { type HeldNote, readHeldNote } from '#shared/domain/held-note.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import { type Mark, readMark } from '#shared/suspension/mark.ts';
import type { SelectedObject } from '../snapshot.ts';
import type { Situation } from './situation.ts';
import type { Hold } from './wish.ts';

export function markOf({ mark }: Pick<SelectedObject, 'mark'>): Mark | undefined {
  return readMark(mark);
}

/** The object is as the policy left it that marked it. Otherwise a user has resumed it or set it otherwise. */
export function isHeldAsMarked({
  suspend,
  isSetOtherwise,
}: Pick<SelectedObject, 'suspend' | 'isSetOtherwise'>): boolean {
  return suspend && isSetOtherwise === undefined;
}

export function noteOf({ held }: Pick<SelectedObject, 'held'>): Partial<HeldNote> {
  return readHeldNote(held);
}

/** `since` stays as it was first written. */
export function heldNote(situation: Situation, object: SelectedObject, wish: Hold): HeldNote {
  const { key, nowMs } = situation;
  const { reason, place } = wish;
  const { since: known, letIn } = object.suspend ? noteOf(object) : {};
  const untilMs = holdEndMs(situation, wish);
  return {
    policy: key,
    reason,
    since: known ?? rfc3339(nowMs),
    ...(untilMs === undefined ? {} : { until: rfc3339(untilMs) }),
    ...(place === undefined ? {} : { place }),
    ...(letIn === undefined ? {} : { letIn }),
  };
}

/** When the reason of the hold ends. Undefined: unknown. */
export function holdEndMs(
  { state }: Pick<Situation, 'state'>,
  { reason, overrideUntilMs }: Hold,
): number | undefined {
  return reason === 'WindowClosed' ? state.untilMs : overrideUntilMs;
}

export const noAnnotations: JsonObject = {
  [annotations.suspendedBy]: null,
  [annotations.held]: null,
};
