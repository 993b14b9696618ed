/** What is written on an object that a policy holds. */
import { isObject } from '#shared/domain/json-value.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import type { SelectedObject } from '../snapshot.ts';
import type { Situation } from './situation.ts';

export type HoldReason = 'WindowClosed' | 'CapacityFull' | 'Unschedulable' | 'Override';

/** The annotation `millrace.dev/held`. */
export interface HeldNote {
  /** As `key` of the situation. */
  readonly policy: string;
  readonly reason: HoldReason;
  readonly since: string;
  /** Absent: nobody can tell. */
  readonly until?: string;
  /** In the order in which what is held starts, from 1 on, as it was when the note was written. */
  readonly place?: number;
}

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

/** Empty when there is none, or none that can be read. */
export function noteOf({ held }: Pick<SelectedObject, 'held'>): Partial<HeldNote> {
  if (held === undefined) return {};
  try {
    const note = JSON.parse(held) as Json;
    return isObject(note) ? note : {};
  } catch {
    return {};
  }
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
