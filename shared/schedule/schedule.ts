/** A schedule in the form of a policy's spec. */

/** Whether work may run (Open) or is held (Closed). */
export type Opening = 'Open' | 'Closed';

/** From each `open` to the next `close`. Both are cron expressions in the zone's wall time. */
export interface TimeWindow {
  readonly name: string;
  readonly open: string;
  readonly close: string;
}

/** Overrides the windows for a time: either `from` and `to`, or `date`. */
export interface ScheduleException {
  readonly name?: string;
  /** RFC 3339 with an offset. */
  readonly from?: string;
  /** RFC 3339 with an offset; exclusive. */
  readonly to?: string;
  /** A whole day in the zone of the schedule, as YYYY-MM-DD. */
  readonly date?: string;
  readonly state: Opening;
}

export interface Schedule {
  readonly timeZone: string;
  /** RunInside: work may run inside the windows. SuspendInside: it may run outside. */
  readonly mode?: 'RunInside' | 'SuspendInside';
  /** Without windows it is open, except for the exceptions. */
  readonly windows?: readonly TimeWindow[];
  /** If two cover the same moment, the later one in the list counts. */
  readonly exceptions?: readonly ScheduleException[];
}

/** The state at a moment, with its beginning and end. */
export interface ScheduleState {
  readonly opening: Opening;
  /** When it began, in milliseconds since the epoch. Undefined: before any governed object was created. */
  readonly sinceMs?: number;
  /** When it ends. Undefined: not within the next eight years. */
  readonly untilMs?: number;
  /** Names of the windows and exceptions that cause it; empty outside all windows. */
  readonly because: readonly string[];
}

export interface Transition {
  readonly atMs: number;
  readonly to: Opening;
  readonly because: readonly string[];
}
