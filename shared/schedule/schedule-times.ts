/**
 * When work may run, by a schedule. Level-triggered: the state follows from the moment alone, so that an
 * outage, a restart or a clock that was set leads to nothing but the right state.
 */
import { readCron } from './cron-times.ts';
import { exceptionTimes, type ExceptionTimes } from './exception-times.ts';
import type { Opening, Schedule, ScheduleState, TimeWindow, Transition } from './schedule.ts';
import { wallClockOf, type WallClock } from './time-zone.ts';
import { WindowTimes } from './window-times.ts';

/** Windows that open and close inside one another change nothing: so many edges are passed over. */
const passedOver = 500;

/** The next or the last change of the state, or how far it was looked for. */
interface Search {
  readonly reachedMs: number;
  readonly changed: boolean;
  /** Edges that changed nothing. */
  readonly passed: number;
}

/** Between these two moments the state is the same. */
interface Span {
  readonly sinceMs: number;
  readonly untilMs: number;
}

const prepared = new WeakMap<Schedule, ScheduleTimes>();

/** Throws for a schedule in which `scheduleFaults` finds something. */
export function timesOf(schedule: Schedule): ScheduleTimes {
  let times = prepared.get(schedule);
  if (times === undefined) {
    times = new ScheduleTimes(schedule);
    prepared.set(schedule, times);
  }
  return times;
}

class ScheduleTimes {
  readonly #windows: readonly WindowTimes[];
  readonly #exceptions: readonly ExceptionTimes[];
  readonly #inside: Opening;
  /** A decision is made for every change of a Job, and most of them fall into one span. */
  #latest: Span | undefined;

  constructor(schedule: Schedule) {
    const clock = wallClockOf(schedule.timeZone);
    this.#windows = schedule.windows.map((window) => windowTimes(window, clock));
    this.#exceptions = (schedule.exceptions ?? [])
      .map((exception) => exceptionTimes(exception, clock))
      .filter((exception) => exception !== undefined)
      .reverse();
    this.#inside = schedule.mode === 'SuspendInside' ? 'Closed' : 'Open';
  }

  stateAt(instantMs: number): ScheduleState {
    const state = this.#openingAt(instantMs);
    const known = this.#latest;
    if (known !== undefined && known.sinceMs <= instantMs && instantMs < known.untilMs) {
      return { ...state, ...known };
    }
    const came = this.#lastChange(instantMs, state.opening);
    const goes = this.#nextChange(instantMs, state.opening);
    const span = {
      ...(came.changed && { sinceMs: came.reachedMs }),
      ...(goes.changed && { untilMs: goes.reachedMs }),
    };
    // Only what each of its moments would find may be kept: the answer must not depend on who asked before.
    if (isWhole(span) && came.passed + goes.passed < passedOver) this.#latest = span;
    return { ...state, ...span };
  }

  /** Changes of the state after `fromMs` and until `toMs`, in order. */
  *transitions(fromMs: number, toMs: number): Generator<Transition> {
    let at = fromMs;
    for (;;) {
      const { reachedMs, changed } = this.#nextChange(at, this.#openingAt(at).opening);
      if (reachedMs > toMs) return;
      at = reachedMs;
      if (!changed) continue;
      const { opening, because } = this.#openingAt(at);
      yield { atMs: at, to: opening, because };
    }
  }

  #openingAt(instantMs: number): { opening: Opening; because: readonly string[] } {
    const exception = this.#exceptions.find(
      ({ fromMs, toMs }) => fromMs <= instantMs && instantMs < toMs,
    );
    if (exception !== undefined) return { opening: exception.opening, because: [exception.name] };
    const open = this.#windows.filter((window) => window.isOpen(instantMs));
    const outside = this.#inside === 'Open' ? 'Closed' : 'Open';
    return {
      opening: open.length > 0 ? this.#inside : outside,
      because: open.map(({ name }) => name),
    };
  }

  #nextChange(instantMs: number, opening: Opening): Search {
    let at = instantMs;
    for (let passed = 0; passed < passedOver; passed++) {
      at = this.#nextEdge(at);
      if (at === Infinity) break;
      if (this.#openingAt(at).opening !== opening) return { reachedMs: at, changed: true, passed };
    }
    return { reachedMs: at, changed: false, passed: passedOver };
  }

  #lastChange(instantMs: number, opening: Opening): Search {
    let at = this.#lastEdge(instantMs);
    for (let passed = 0; at !== -Infinity && passed < passedOver; passed++) {
      if (this.#openingAt(at - 1).opening !== opening) {
        return { reachedMs: at, changed: true, passed };
      }
      at = this.#lastEdge(at - 1);
    }
    return { reachedMs: at, changed: false, passed: passedOver };
  }

  #nextEdge(instantMs: number): number {
    return Math.min(
      ...this.#windows.map((window) => window.nextAfter(instantMs) ?? Infinity),
      ...this.#edges().filter((edge) => edge > instantMs),
    );
  }

  #lastEdge(instantMs: number): number {
    return Math.max(
      ...this.#windows.map((window) => window.lastUntil(instantMs) ?? -Infinity),
      ...this.#edges().filter((edge) => edge <= instantMs),
    );
  }

  #edges(): readonly number[] {
    return this.#exceptions.flatMap(({ fromMs, toMs }) => [fromMs, toMs]);
  }
}

function isWhole(span: Partial<Span>): span is Span {
  return span.sinceMs !== undefined && span.untilMs !== undefined;
}

function windowTimes(window: TimeWindow, clock: WallClock): WindowTimes {
  const [open, close] = [readCron(window.open), readCron(window.close)];
  if (open.kind === 'fault') throw new RangeError(open.message);
  if (close.kind === 'fault') throw new RangeError(close.message);
  return new WindowTimes(window, clock, open.times, close.times);
}
