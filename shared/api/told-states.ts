/**
 * The states of an object of which others are told (docs/reference/events.md). A kind declares how they are read from
 * its status; what sends the events names no kind.
 */
import type { JsonObject, KubeObject } from '#shared/domain/objects.ts';

export interface ToldState {
  /** Name of the part that is in this state. Absent: the object itself. */
  readonly part?: string;
  readonly state: string;
  /**
   * Tells a state apart from the same one before and after others. Made of the object alone, like all of this: the
   * same state of an object has the same one in every process and after every restart.
   */
  readonly occasion: string;
  /** Since when, RFC 3339. Absent: the status does not say. */
  readonly time?: string;
  /** What the status says of it. */
  readonly says: JsonObject;
}

export interface ToldStates {
  /** All that the object can be in. */
  readonly states: readonly string[];
  /** What its parts are called, and all that one of them can be in. Absent: its parts are objects of their own. */
  readonly parts?: { readonly word: string; readonly states: readonly string[] };
  /** Those of this moment: at most one of the object, before those of its parts. */
  readonly of: (object: KubeObject) => readonly ToldState[];
}

interface Transition {
  readonly type: string;
  readonly lastTransitionTime: string;
}

/** When the latest of these conditions came about; undefined while there is none. */
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

/** One of them is written whenever a parent comes to another state (shared/parents/conditions.ts). */
const ofCourse = ['Progressing', 'Suspended', 'Complete', 'Failed'];

interface CourseStatus {
  readonly state?: string;
  readonly conditions?: readonly Transition[];
}

/** Of a flow or a DaemonJob, with these fields of its status; nothing before it has one. */
export function stateOfCourse<Status extends CourseStatus>(
  status: Status | undefined,
  fields: readonly (keyof Status)[],
): readonly ToldState[] {
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

/** Those fields that are there. */
export function pick<From extends object>(from: From, fields: readonly (keyof From)[]): JsonObject {
  return Object.fromEntries(
    fields.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])),
  ) as JsonObject;
}
