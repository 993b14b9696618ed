/** Reads the mark and note on an object that a policy holds. */
import { type HeldNote, readHeldNote } from '#shared/domain/held-note.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { type Mark, readMark } from '#shared/suspension/mark.ts';
import type { SelectedObject } from '../snapshot.ts';

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

export const noAnnotations: JsonObject = {
  [annotations.suspendedBy]: null,
  [annotations.held]: null,
};
