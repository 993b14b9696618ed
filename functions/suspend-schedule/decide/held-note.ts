/** The note that a policy writes on an object that it holds. */
import type { HeldNote } from '#shared/domain/held-note.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import type { SelectedObject } from '../snapshot.ts';
import { noteOf } from './mark.ts';
import type { Situation } from './situation.ts';
import type { Hold } from './wish.ts';

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
