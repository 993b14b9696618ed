/** What is written on an object that a policy holds. */
import { type HeldNote, type HoldReason, readHeldNote } from '#shared/domain/held-note.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import type { SelectedObject } from '../snapshot.ts';
import type { Situation } from './situation.ts';

/** The annotation `millrace.dev/suspended-by`: the uid of a policy, and a period of it. */
export interface Mark {
  readonly policy: string;
  readonly period: string;
}

export function markOf({ mark }: Pick<SelectedObject, 'mark'>): Mark | undefined {
  if (mark === undefined) return undefined;
  const [policy = '', period = ''] = mark.split('/');
  return { policy, period };
}

export function noteOf({ held }: Pick<SelectedObject, 'held'>): Partial<HeldNote> {
  return readHeldNote(held);
}

/** Since when it is held stays as it is written. */
export function heldNote(
  { key, nowMs, state }: Situation,
  object: SelectedObject,
  reason: HoldReason,
  place: number | undefined,
): HeldNote {
  const known = object.suspend ? noteOf(object).since : undefined;
  const untilMs = reason === 'WindowClosed' ? state.untilMs : undefined;
  return {
    policy: key,
    reason,
    since: known ?? rfc3339(nowMs),
    ...(untilMs === undefined ? {} : { until: rfc3339(untilMs) }),
    ...(place === undefined ? {} : { place }),
  };
}

export function heldAnnotations({ policy, period }: Situation, note: HeldNote): JsonObject {
  return {
    [annotations.suspendedBy]: `${policy.metadata.uid}/${period}`,
    [annotations.held]: JSON.stringify(note),
  };
}

export const noAnnotations: JsonObject = {
  [annotations.suspendedBy]: null,
  [annotations.held]: null,
};
