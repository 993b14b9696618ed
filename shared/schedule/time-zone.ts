/**
 * Wall clocks of IANA zones. A wall time is written in milliseconds as if it were UTC. The database is the runtime's
 * (ICU), so the machine's data does not matter.
 *
 * Summer time: a wall time that does not exist means the first instant after the gap, and one that occurs twice
 * means the first of the two. So later wall times never mean earlier instants.
 */
export interface WallClock {
  /** The wall time at an instant. */
  wallAt(instantMs: number): number;
  /** The instant of a wall time. */
  instantOf(wallMs: number): number;
}

const day = 86_400_000;

/** Names of the tz database that contain no place. The runtime also knows other such names, which are ambiguous. */
const withoutPlace: ReadonlySet<string> = new Set(
  `CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland
  Iran Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK
  Singapore Turkey UCT UTC Universal W-SU WET Zulu`.split(/\s+/),
);
const withPlace = /^[A-Za-z_]+(\/[A-Za-z0-9_+-]+)+$/;

/** Valid names: there are some hundreds, and the runtime is slow to ask. */
const sound = new Set<string>();

/** Why the text is not a reliable zone name. Undefined: it is one. */
export function timeZoneFault(name: string): string | undefined {
  if (sound.has(name)) return undefined;
  const fault = faultOf(name);
  if (fault === undefined) sound.add(name);
  return fault;
}

function faultOf(name: string): string | undefined {
  if (name === '') return 'a time zone is needed, such as Europe/Berlin or UTC';
  const quoted = JSON.stringify(name);
  const isNamed = withoutPlace.has(name) || withPlace.test(name);
  if (!isNamed) {
    return `${quoted} is no time zone of the tz database; write one such as Europe/Berlin or UTC (an offset, Local and most abbreviations mean different things in different places)`;
  }
  try {
    const known = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
    return known !== name && known.toLowerCase() === name.toLowerCase()
      ? `${quoted} is spelled ${known}`
      : undefined;
  } catch {
    return `${quoted} is no time zone of the tz database; write one such as Europe/Berlin or UTC`;
  }
}

const clocks = new Map<string, WallClock>();

/** Throws a RangeError for a zone that `timeZoneFault` refuses as unknown. */
export function wallClockOf(timeZone: string): WallClock {
  let clock = clocks.get(timeZone);
  if (clock === undefined) {
    clock = new ZonedWallClock(timeZone);
    clocks.set(timeZone, clock);
  }
  return clock;
}

class ZonedWallClock implements WallClock {
  readonly #format: Intl.DateTimeFormat;

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
  }

  wallAt(instantMs: number): number {
    return instantMs + this.#offsetAt(instantMs);
  }

  instantOf(wallMs: number): number {
    const before = this.#offsetAt(wallMs - day);
    const after = this.#offsetAt(wallMs + day);
    const found = [wallMs - before, wallMs - after]
      .sort((left, right) => left - right)
      .find((instant) => this.wallAt(instant) === wallMs);
    return found ?? this.#firstInstantWith(after, wallMs - after, wallMs - before);
  }

  /** The exact instant in (`low`, `high`] at which the clock springs forward. */
  #firstInstantWith(offset: number, low: number, high: number): number {
    let [without, withIt] = [low, high];
    while (withIt - without > 1) {
      const middle = Math.floor((without + withIt) / 2);
      if (this.#offsetAt(middle) === offset) withIt = middle;
      else without = middle;
    }
    return withIt;
  }

  #offsetAt(instantMs: number): number {
    const shown = this.#format.format(instantMs);
    // "11/14/2023, 23:13:20": only the year may vary in length, and a schedule's years do not.
    const number = (from: number, to: number) => Number(shown.slice(from, to));
    const wall = Date.UTC(
      number(6, 10),
      number(0, 2) - 1,
      number(3, 5),
      number(12, 14),
      number(15, 17),
      number(18, 20),
    );
    return wall - Math.floor(instantMs / 1_000) * 1_000;
  }
}
