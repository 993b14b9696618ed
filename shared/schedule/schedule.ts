/** A schedule as a policy writes it. */

/** Whether work may run (Open) or is held (Closed). */
export type Opening = 'Open' | 'Closed';

/** From each `open` to the next `close`, both cron expressions on the wall clock of the zone. */
export interface TimeWindow {
  readonly name: string;
  readonly open: string;
  readonly close: string;
}

/** What holds for a time, whatever the windows say: either `from` and `to`, or `date`. */
export interface ScheduleException {
  readonly name?: string;
  /** RFC 3339 with an offset. */
  readonly from?: string;
  /** RFC 3339 with an offset; no longer part of it. */
  readonly to?: string;
  /** A whole day in the zone of the schedule, as YYYY-MM-DD. */
  readonly date?: string;
  readonly state: Opening;
}

export interface Schedule {
  readonly timeZone: string;
  /** RunInside: work may run inside the windows. SuspendInside: it may run outside. */
  readonly mode?: 'RunInside' | 'SuspendInside';
  /** Without windows it is open, but for the exceptions. */
  readonly windows?: readonly TimeWindow[];
  /** Where two cover the same moment, the later in the list decides. */
  readonly exceptions?: readonly ScheduleException[];
}

/** The state at a moment, and the moments at which it came and will go. */
export interface ScheduleState {
  readonly opening: Opening;
  /** Since when, in milliseconds since the epoch; undefined: since before anything that is governed was created. */
  readonly sinceMs?: number;
  /** Until when; undefined: it stays so for the next eight years at least. */
  readonly untilMs?: number;
  /** Names of the windows and exceptions that make it so; none outside all windows. */
  readonly because: readonly string[];
}

export interface Transition {
  readonly atMs: number;
  readonly to: Opening;
  readonly because: readonly string[];
}
