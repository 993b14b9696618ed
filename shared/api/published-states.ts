/**
 * The published states of an object (docs/reference/events.md). A kind declares how they follow from its status; the
 * publisher names no kind.
 */
import type { JsonObject, KubeObject } from '#shared/domain/objects.ts';

export interface PublishedState {
  /** Name of the part in this state. Absent: the object itself. */
  readonly part?: string;
  readonly state: string;
  /**
   * Distinguishes repeated occurrences of the same state. It follows from the object alone, so it is equal in every
   * process and after every restart.
   */
  readonly occasion: string;
  /** RFC 3339. Absent: the status does not say. */
  readonly time?: string;
  /** Details from the status. */
  readonly says: JsonObject;
}

export interface PublishedStates {
  /** All states of the object. */
  readonly states: readonly string[];
  /** The word for its parts, and all their states. Absent: its parts are objects of their own. */
  readonly parts?: { readonly word: string; readonly states: readonly string[] };
  /** The current states: at most one of the object, then those of its parts. */
  readonly of: (object: KubeObject) => readonly PublishedState[];
}

interface Transition {
  readonly type: string;
  readonly lastTransitionTime: string;
}

/** When the latest of these conditions changed. Undefined: there is none. */
export function latestTransition(
  conditions: readonly Transition[] = [],
  types: readonly string[],
): string | undefined {
  return conditions
    .filter(({ type }) => types.includes(type))
    .map(({ lastTransitionTime }) => lastTransitionTime)
    .toSorted()
    .at(-1);
}

/** One of them changes with every state of a parent (shared/parents/conditions.ts). */
const ofCourse = ['Progressing', 'Suspended', 'Complete', 'Failed'];

interface CourseStatus {
  readonly state?: string;
  readonly conditions?: readonly Transition[];
}

/** The state of a flow or DaemonJob, with these fields of its status. Nothing before it has a state. */
export function stateOfCourse<Status extends CourseStatus>(
  status: Status | undefined,
  fields: readonly (keyof Status)[],
): readonly PublishedState[] {
  if (status?.state === undefined) return [];
  const time = latestTransition(status.conditions, ofCourse);
  return [
    {
      state: status.state,
      occasion: time ?? '',
      ...(time === undefined ? {} : { time }),
      says: pick(status, fields),
    },
  ];
}

/** Those of the fields that are present. */
export function pick<From extends object>(from: From, fields: readonly (keyof From)[]): JsonObject {
  return Object.fromEntries(
    fields.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])),
  ) as JsonObject;
}
