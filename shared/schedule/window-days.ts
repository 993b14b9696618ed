/** One window on the days of its zone's wall time. */
import { calendarDay, dayMs, minuteMs } from './calendar.ts';
import type { CalendarDay, CronExpression } from './cron-expression.ts';
import {
  closes,
  type DayLevels,
  type DayMarks,
  levelsOf,
  mark,
  noMarks,
  opens,
} from './day-levels.ts';
import { type Gap, gapsBetween } from './passed-wall.ts';

/** Every expression that names a day names one within this many (from February 29, 1896, to 1904). */
const longestDays = 9 * 366;

/** Whether a day opens the window (1), closes it (2), does both or neither. */
export type DayKind = 0 | 1 | 2 | 3;

export class WindowDays {
  readonly name: string;
  readonly #timeZone: string;
  readonly #open: FiringDays;
  readonly #close: FiringDays;
  /** By the kind of the day and the window's state at its beginning. */
  readonly #levels: DayLevels[] = [];

  constructor(
    name: string,
    timeZone: string,
    { open, close }: { readonly open: CronExpression; readonly close: CronExpression },
  ) {
    this.name = name;
    this.#timeZone = timeZone;
    this.#open = new FiringDays(open);
    this.#close = new FiringDays(close);
  }

  kindOf(day: CalendarDay): DayKind {
    const opening = this.#open.expression.namesDay(day) ? opens : 0;
    return (opening | (this.#close.expression.namesDay(day) ? closes : 0)) as DayKind;
  }

  /** For a day without a gap. */
  levelsOf(kind: DayKind, isOpen: boolean): DayLevels {
    const key = kind * 2 + Number(isOpen);
    return (this.#levels[key] ??= levelsOf(this.#marksOf(kind), isOpen));
  }

  /** Moments within the gap happen at its end. */
  levelsWithGap(
    day: number,
    gap: Gap,
    { kind, isOpen }: { readonly kind: DayKind; readonly isOpen: boolean },
  ): DayLevels {
    const within = this.#within(gap);
    if (within.length === 0) return this.levelsOf(kind, isOpen);
    const marks = this.#marksOf(kind);
    const minuteOf = (wallMs: number) => Math.floor((wallMs - day * dayMs) / minuteMs);
    marks.fill(0, Math.max(minuteOf(gap.fromMs), 0), Math.max(minuteOf(gap.toMs), 0));
    if (Math.floor(gap.toMs / dayMs) === day) {
      for (const what of within) mark(marks, minuteOf(gap.toMs), what);
    }
    return levelsOf(marks, isOpen);
  }

  /**
   * Whether it is open when a day begins, by what fired last before. A moment that opens and closes leaves
   * it closed.
   */
  isOpenBefore(day: number): boolean {
    const opened = this.#lastBefore(this.#open, day);
    return opened !== undefined && opened > (this.#lastBefore(this.#close, day) ?? -Infinity);
  }

  #marksOf(kind: DayKind): DayMarks {
    const marks = noMarks();
    if ((kind & opens) !== 0) {
      for (const minute of this.#open.expression.minutes) mark(marks, minute, opens);
    }
    if ((kind & closes) !== 0) {
      for (const minute of this.#close.expression.minutes) mark(marks, minute, closes);
    }
    return marks;
  }

  /** The transitions that fire within the gap. */
  #within({ fromMs, toMs }: Gap): readonly (typeof opens | typeof closes)[] {
    const fires = ({ expression }: FiringDays) => {
      for (let day = Math.floor(fromMs / dayMs); day * dayMs <= toMs; day++) {
        const isIn = (minute: number) => {
          const wallMs = day * dayMs + minute * minuteMs;
          return fromMs <= wallMs && wallMs <= toMs;
        };
        if (expression.namesDay(calendarDay(day)) && expression.minutes.some(isIn)) return true;
      }
      return false;
    };
    return [
      ...(fires(this.#open) ? ([opens] as const) : []),
      ...(fires(this.#close) ? ([closes] as const) : []),
    ];
  }

  /** The wall time at which it happened. */
  #lastBefore(firing: FiringDays, before: number): number | undefined {
    const day = firing.lastBefore(before);
    const minute = firing.expression.minutes.at(-1);
    if (day === undefined || minute === undefined) return undefined;
    const wallMs = day * dayMs + minute * minuteMs;
    const [gap] = gapsBetween(this.#timeZone, wallMs, wallMs + 1);
    return gap === undefined ? wallMs : gap.toMs;
  }
}

class FiringDays {
  readonly expression: CronExpression;
  /** There is no named day between the two. Mostly the next question is about the year after. */
  #latest: { readonly found: number | undefined; readonly before: number } | undefined;

  constructor(expression: CronExpression) {
    this.expression = expression;
  }

  /** The last day before this one that it names. */
  lastBefore(before: number): number | undefined {
    const known = this.#latest;
    if (known !== undefined && (known.found ?? -Infinity) < before && before <= known.before) {
      return known.found;
    }
    const found = this.#search(before);
    this.#latest = { found, before };
    return found;
  }

  #search(before: number): number | undefined {
    for (let day = before - 1; day >= before - longestDays; day--) {
      const at = calendarDay(day);
      if (!this.expression.namesMonth(at.month)) day -= at.date - 1;
      else if (this.expression.namesDay(at)) return day;
    }
    return undefined;
  }
}
