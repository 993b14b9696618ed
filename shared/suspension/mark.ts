/** What is written on an object when a policy suspends it. */
import type { HeldNote } from '#shared/domain/held-note.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { Uid } from '#shared/domain/objects.ts';
import type { ScheduleState } from '#shared/schedule/schedule.ts';

/** The annotation `millrace.dev/suspended-by`: the uid of a policy, and a period of it. */
export interface Mark {
  readonly policy: string;
  readonly period: string;
}

export function readMark(text: string | undefined): Mark | undefined {
  if (text === undefined) return undefined;
  const [policy = '', period = ''] = text.split('/');
  return { policy, period };
}

/** Names the period between two transitions: what somebody sets otherwise stays so within it. */
export function periodOf({ sinceMs }: Pick<ScheduleState, 'sinceMs'>): string {
  return String(Math.floor((sinceMs ?? 0) / 1_000));
}

export function heldAnnotations(
  policy: Uid,
  period: string,
  note: HeldNote,
): Readonly<Record<string, string>> {
  return {
    [annotations.suspendedBy]: `${policy}/${period}`,
    [annotations.held]: JSON.stringify(note),
  };
}
