/**
 * The wall times that a cron expression names. The library is asked as if the wall were in UTC, where
 * nothing is left out and nothing comes twice: what summer time means is decided in one place, for
 * every expression alike (time-zone.ts).
 */
import { Cron } from 'croner';

export interface CronTimes {
  /** The first wall time after this one; undefined when there is none. */
  after(wallMs: number): number | undefined;
  /** The last wall time that is not after this one; undefined when there is none. */
  lastUntil(wallMs: number): number | undefined;
  /** Whether the expression names this wall time. */
  names(wallMs: number): boolean;
}

export type CronReading =
  | { readonly kind: 'times'; readonly times: CronTimes }
  | { readonly kind: 'fault'; readonly message: string };

/** Five fields: minute, hour, day of month, month, day of week. */
export function readCron(expression: string): CronReading {
  const fault = (why: string): CronReading => ({
    kind: 'fault',
    message: `${JSON.stringify(expression)} is no cron expression of five fields (minute, hour, day of month, month, day of week): ${why}`,
  });
  // The library also knows nicknames, such as @daily.
  const fields = expression.split(' ').length;
  if (fields !== 5) return fault(`it has ${fields}`);
  try {
    return { kind: 'times', times: new CronExpression(parsedCron(expression)) };
  } catch (error) {
    return fault(error instanceof Error ? error.message.replace(/^CronPattern: /, '') : '');
  }
}

/** An expression is read again with each version of the object that it stands in, and parsing it takes long. */
const parsed = new Map<string, Cron>();
const mostParsed = 1_000;

/** Throws what the library throws. */
function parsedCron(expression: string): Cron {
  let cron = parsed.get(expression);
  if (cron === undefined) {
    cron = new Cron(expression, { timezone: 'UTC', mode: '5-part' });
    if (parsed.size >= mostParsed) parsed.clear();
    parsed.set(expression, cron);
  }
  return cron;
}

/** The named times around a moment: `last` is not after it, `next` is. */
interface Neighbours {
  readonly last: number | undefined;
  readonly next: number | undefined;
}

class CronExpression implements CronTimes {
  readonly #cron: Cron;
  /** Searching a calendar takes its time, and mostly the same two times are asked for. */
  #latest: Neighbours = { last: undefined, next: undefined };

  constructor(cron: Cron) {
    this.#cron = cron;
  }

  after(wallMs: number): number | undefined {
    return this.#around(wallMs).next;
  }

  lastUntil(wallMs: number): number | undefined {
    return this.#around(wallMs).last;
  }

  names(wallMs: number): boolean {
    return this.#cron.match(new Date(wallMs));
  }

  #around(wallMs: number): Neighbours {
    if (between(this.#latest, wallMs)) return this.#latest;
    const following = this.#following(this.#latest.next);
    this.#latest = between(following, wallMs) ? following : this.#search(wallMs);
    return this.#latest;
  }

  #following(named: number | undefined): Neighbours {
    return { last: named, next: named === undefined ? undefined : this.#searchAfter(named) };
  }

  #search(wallMs: number): Neighbours {
    // The library leaves out the second of the reference itself.
    const reference = new Date(Math.floor(wallMs / 1_000) * 1_000 + 1_000);
    const last = this.#cron.previousRuns(1, reference)[0]?.getTime();
    return { last, next: this.#searchAfter(wallMs) };
  }

  #searchAfter(wallMs: number): number | undefined {
    return this.#cron.nextRun(new Date(wallMs))?.getTime();
  }
}

function between({ last, next }: Neighbours, wallMs: number): boolean {
  return last !== undefined && next !== undefined && last <= wallMs && wallMs < next;
}
