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
  /** Absent: unknown. */
  readonly until?: string;
  /** Position in the starting order, from 1, at the time of the note. */
  readonly place?: number;
  /** It was held at its creation, and the Event that reports this is not written yet. */
  readonly isUntold?: true;
  /** When the previous object was admitted under the capacity. That object may be stored after this one. */
  readonly letIn?: string;
}

/** Empty if the note is missing or unreadable. */
export function readHeldNote(text: string | undefined): Partial<HeldNote> {
  return parsedObject(text) ?? {};
}

/**
 * A sentence for people; undefined if no policy holds the object. Any user may submit such a note, and the status
 * schema bounds the text. So only values that a policy could have written are repeated.
 */
export function heldWords(metadata: Pick<ObjectMeta, 'annotations'>): string | undefined {
  const note: Partial<HeldNote> = readHeldNote(metadata.annotations?.[annotations.held]);
  const { policy, reason, until } = note as Readonly<Record<keyof HeldNote, unknown>>;
  if (typeof policy !== 'string' || !policyKey.test(policy)) return undefined;
  if (!reasons.has(reason)) return undefined;
  const isKnown = typeof until === 'string' && parseTime(until) !== undefined;
  return `held by ${policy} (${String(reason)})${isKnown ? ` until ${until}` : ''}`;
}

/** Kind, namespace and name. */
const policyKey = /^(?:Cluster)?SuspendPolicy(?:\/[a-z0-9.-]{1,253}){1,2}$/;

const reasons: ReadonlySet<unknown> = new Set<HoldReason>([
  'WindowClosed',
  'CapacityFull',
  'Unschedulable',
  'Override',
]);
