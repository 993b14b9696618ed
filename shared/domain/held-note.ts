/** The annotation `millrace.dev/held`: which suspend policy holds an object, and why. */
import { parsedObject } from './json-value.ts';
import { annotations } from './labels.ts';
import type { ObjectMeta } from './objects.ts';
import { parseTime } from './time.ts';

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
  /** It was held when it was created, and the Event that says so is still to be written. */
  readonly isUntold?: true;
  /** When the last one before it was let in under the capacity: that one may be stored after this one. */
  readonly letIn?: string;
}

/** Empty when there is none, or none that can be read. */
export function readHeldNote(text: string | undefined): Partial<HeldNote> {
  return parsedObject(text) ?? {};
}

/**
 * For people; undefined when no policy holds it. Anybody may submit an object with such a note, and the words go into
 * a status whose schema bounds them: so nothing is repeated that a policy would not write.
 */
export function heldWords(metadata: Pick<ObjectMeta, 'annotations'>): string | undefined {
  const note: Partial<HeldNote> = readHeldNote(metadata.annotations?.[annotations.held]);
  const { policy, reason, until } = note as Readonly<Record<keyof HeldNote, unknown>>;
  if (typeof policy !== 'string' || !policyKey.test(policy)) return undefined;
  if (!reasons.has(reason)) return undefined;
  const isTold = typeof until === 'string' && parseTime(until) !== undefined;
  return `held by ${policy} (${String(reason)})${isTold ? ` until ${until}` : ''}`;
}

/** Kind, namespace and name. */
const policyKey = /^(?:Cluster)?SuspendPolicy(?:\/[a-z0-9.-]{1,253}){1,2}$/;

const reasons: ReadonlySet<unknown> = new Set<HoldReason>([
  'WindowClosed',
  'CapacityFull',
  'Unschedulable',
  'Override',
]);
