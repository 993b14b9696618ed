/** The marks that a policy writes on an object that it suspends. */
import type { HeldNote } from '#shared/domain/held-note.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { Uid } from '#shared/domain/objects.ts';
import type { ScheduleState } from '#shared/schedule/schedule.ts';
import type { Stop } from '#shared/api/work/work-kind.ts';

/**
 * The annotation `millrace.dev/suspended-by`: the uid of a policy, its period, and what was stopped if there
 * is more than one way. `nothing`: a user has resumed the object.
 */
export interface Mark {
  readonly policy: string;
  readonly period: string;
  readonly stop?: string;
}

export function readMark(text: string | undefined): Mark | undefined {
  if (text === undefined) return undefined;
  const [policy = '', period = '', stop] = text.split('/');
  return { policy, period, ...(stop === undefined ? {} : { stop }) };
}

/** The mark of an object that a user has resumed: from now on, the policy stops nothing of it. */
export function freedMark({ policy, period }: Mark): string {
  return markText(policy, period, 'nothing');
}

function markText(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join('/');
}

/** Names the period between two transitions. A user's change stays within its period. */
export function periodOf({ sinceMs }: Pick<ScheduleState, 'sinceMs'>): string {
  return String(Math.floor((sinceMs ?? 0) / 1_000));
}

export function heldAnnotations(
  policy: Uid,
  period: string,
  note: HeldNote,
  stop?: Stop,
): Readonly<Record<string, string>> {
  return {
    [annotations.suspendedBy]: markText(policy, period, stop),
    [annotations.held]: JSON.stringify(note),
  };
}
