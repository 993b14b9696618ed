/**
 * When work may run by a schedule. Level-triggered: the state follows from the current moment alone. After an outage,
 * a restart or a clock change it is therefore right.
 *
 * A search is bounded by years, never by effort, and is exact within them.
 */
import { Recent } from '#shared/domain/recent.ts';
import { yearOf } from './calendar.ts';
import { readCron } from './cron-expression.ts';
import { exceptionSpans } from './exception-spans.ts';
import { exceptionTimes, type ExceptionTimes } from './exception-times.ts';
import { passedWallAt } from './passed-wall.ts';
import type { Opening, Schedule, ScheduleState, TimeWindow, Transition } from './schedule.ts';
import { wallClockOf, type WallClock } from './time-zone.ts';
import { WindowCalendar } from './window-calendar.ts';
import { WindowDays } from './window-days.ts';

/** Governed work is never older than this. An earlier change came before all of it. */
const firstMs = Date.UTC(2020, 0, 1);
/** Whole years to look ahead, and back if a clock shows an earlier time. They contain a February 29. */
const years = 8;

/** The state is the same within the same year and span. */
interface Known {
  readonly year: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly state: ScheduleState;
}

const prepared = new WeakMap<Schedule, ScheduleTimes>();
/** By JSON: each status write and each journal record gives the same schedule as a new object. */
const preparedLately = new Recent<ScheduleTimes>(32);

/** Throws for a schedule with a fault from `scheduleFaults`. */
export function timesOf(schedule: Schedule): ScheduleTimes {
  let times = prepared.get(schedule);
  if (times === undefined) {
    const text = JSON.stringify(schedule);
    times = preparedLately.get(text) ?? new ScheduleTimes(schedule);
    preparedLately.set(text, times);
    prepared.set(schedule, times);
  }
  return times;
}

class ScheduleTimes {
  readonly #timeZone: string;
  readonly #clock: WallClock;
  readonly #calendar: WindowCalendar;
  /** In order of time. */
  readonly #exceptions: readonly ExceptionTimes[];
  readonly #inside: Opening;
  readonly #outside: Opening;
  /** Every change of a Job leads to a decision, and most of them fall into one span. */
  #latest: Known | undefined;

  constructor({ timeZone, windows = [], exceptions = [], mode }: Schedule) {
    this.#timeZone = timeZone;
    this.#clock = wallClockOf(timeZone);
    this.#calendar = new WindowCalendar(
      timeZone,
      windows.map((window) => windowDays(window, timeZone)),
    );
    this.#exceptions = exceptionSpans(
      exceptions
        .map((exception) => exceptionTimes(exception, this.#clock))
        .filter((exception) => exception !== undefined),
    );
    this.#inside = mode === 'SuspendInside' ? 'Closed' : 'Open';
    this.#outside = this.#inside === 'Open' && windows.length > 0 ? 'Closed' : 'Open';
  }

  stateAt(instantMs: number): ScheduleState {
    const year = yearOf(instantMs);
    const known = this.#latest;
    if (known?.year === year && known.fromMs <= instantMs && instantMs < known.toMs) {
      return { ...known.state, because: this.#becauseAt(instantMs) };
    }
    const opening = this.#openingAt(instantMs);
    const beginMs = instantMs >= firstMs ? firstMs : Date.UTC(year - years, 0, 1);
    const endMs = Date.UTC(year + years + 1, 0, 1);
    const sinceMs = this.#lastChange(instantMs, beginMs);
    const untilMs = this.#nextChange(instantMs, endMs);
    const state = {
      opening,
      because: this.#becauseAt(instantMs),
      ...(sinceMs === undefined ? {} : { sinceMs }),
      ...(untilMs === undefined ? {} : { untilMs }),
    };
    this.#latest = { year, fromMs: sinceMs ?? beginMs, toMs: untilMs ?? endMs, state };
    return state;
  }

  /** Changes of the state after `fromMs` and until `toMs`, in order. */
  *transitions(fromMs: number, toMs: number): Generator<Transition> {
    let at = this.#nextChange(fromMs, toMs);
    while (at !== undefined) {
      yield { atMs: at, to: this.#openingAt(at), because: this.#becauseAt(at) };
      at = this.#nextChange(at, toMs);
    }
  }

  #becauseAt(instantMs: number): readonly string[] {
    const exception = this.#exceptionAt(instantMs);
    return exception === undefined
      ? this.#calendar.openAt(this.#wallAt(instantMs))
      : [exception.name];
  }

  #openingAt(instantMs: number): Opening {
    const exception = this.#exceptionAt(instantMs);
    if (exception !== undefined) return exception.opening;
    return this.#calendar.isOpenAt(this.#wallAt(instantMs)) ? this.#inside : this.#outside;
  }

  #exceptionAt(instantMs: number): ExceptionTimes | undefined {
    return this.#exceptions.find(({ fromMs, toMs }) => fromMs <= instantMs && instantMs < toMs);
  }

  /** The first change after one moment, up to another. */
  #nextChange(instantMs: number, untilMs: number): number | undefined {
    const opening = this.#openingAt(instantMs);
    let at = instantMs;
    while (at < untilMs) {
      const next = this.#nextEdge(at, untilMs);
      if (next === undefined) return undefined;
      if (this.#openingAt(next) !== opening) return next;
      at = next;
    }
    return undefined;
  }

  /** The start or end of an exception, or a change of the windows outside all exceptions. */
  #nextEdge(instantMs: number, untilMs: number): number | undefined {
    const within = this.#exceptionAt(instantMs);
    if (within !== undefined) return within.toMs <= untilMs ? within.toMs : undefined;
    const next = this.#exceptions.find(({ fromMs }) => fromMs > instantMs);
    const endMs = Math.min(next?.fromMs ?? Infinity, untilMs);
    const wallMs = this.#calendar.nextChange(this.#wallAt(instantMs), this.#wallAt(endMs));
    if (wallMs !== undefined) return this.#clock.instantOf(wallMs);
    return next !== undefined && next.fromMs <= untilMs ? next.fromMs : undefined;
  }

  /** The last change up to one moment, after another. */
  #lastChange(instantMs: number, afterMs: number): number | undefined {
    const opening = this.#openingAt(instantMs);
    let at = instantMs;
    for (;;) {
      const last = this.#lastEdge(at, afterMs);
      if (last === undefined) return undefined;
      if (this.#openingAt(last - 1) !== opening) return last;
      at = last - 1;
    }
  }

  #lastEdge(instantMs: number, afterMs: number): number | undefined {
    const within = this.#exceptionAt(instantMs);
    if (within !== undefined) return within.fromMs > afterMs ? within.fromMs : undefined;
    const last = this.#exceptions.findLast(({ toMs }) => toMs <= instantMs);
    const beginMs = Math.max(last?.toMs ?? -Infinity, afterMs);
    const wallMs = this.#calendar.lastChange(this.#wallAt(instantMs), this.#wallAt(beginMs));
    if (wallMs !== undefined) return this.#clock.instantOf(wallMs);
    return last !== undefined && last.toMs > afterMs ? last.toMs : undefined;
  }

  #wallAt(instantMs: number): number {
    return passedWallAt(this.#timeZone, instantMs);
  }
}

function windowDays({ name, open, close }: TimeWindow, timeZone: string): WindowDays {
  const [opening, closing] = [readCron(open), readCron(close)];
  if (opening.kind === 'fault') throw new RangeError(opening.message);
  if (closing.kind === 'fault') throw new RangeError(closing.message);
  return new WindowDays(name, timeZone, { open: opening.expression, close: closing.expression });
}
