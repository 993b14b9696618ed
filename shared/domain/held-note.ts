/** The annotation `millrace.dev/held`: which suspend policy holds an object, and why. */
import { isObject } from './json-value.ts';
import { annotations } from './labels.ts';
import type { Json, ObjectMeta } from './objects.ts';

export type HoldReason = 'WindowClosed' | 'CapacityFull' | 'Unschedulable' | 'Override';

export interface HeldNote {
  /** `SuspendPolicy/team-a/nights`. */
  readonly policy: string;
  readonly reason: HoldReason;
  readonly since: string;
  /** Absent: nobody can tell. */
  readonly until?: string;
  /** In the order in which what is held starts, from 1 on, as it was when the note was written. */
  readonly place?: number;
  /** When the last one before it was let in under the capacity: that one may be stored after this one. */
  readonly letIn?: string;
}

/** Empty when there is none, or none that can be read. */
export function readHeldNote(text: string | undefined): Partial<HeldNote> {
  if (text === undefined) return {};
  try {
    const note = JSON.parse(text) as Json;
    return isObject(note) ? note : {};
  } catch {
    return {};
  }
}

/** For people; undefined when no policy holds it. */
export function heldWords(metadata: Pick<ObjectMeta, 'annotations'>): string | undefined {
  const { policy, reason, until } = readHeldNote(metadata.annotations?.[annotations.held]);
  if (policy === undefined || reason === undefined) return undefined;
  return `held by ${policy} (${reason})${until === undefined ? '' : ` until ${until}`}`;
}
