/**
 * When at least one window is open, in their zone's wall time. A day is treated as a whole. Its kind for each
 * window, and the windows that are open at its beginning, determine everything about it. So a day costs the same
 * however often its windows change, and a search costs as many days as it covers.
 */
import { calendarDay, dayMs, minuteMs, yearOf } from './calendar.ts';
import { edgesOf, isOpenAt, type DayLevels, unionOf } from './day-levels.ts';
import { type Gap, gapsBetween } from './passed-wall.ts';
import type { DayKind, WindowDays } from './window-days.ts';

/** All windows together for one day. */
interface DayShape {
  readonly startsOpen: boolean;
  readonly endsOpen: boolean;
  /** Minutes at which the state changes, in order. */
  readonly edges: readonly number[];
  /** The windows that are open at its end, one bit each. */
  readonly openAtEnd: number;
}

interface Year {
  readonly firstDay: number;
  /** The windows that are open at the beginning of each day and of the next year, one bit each. */
  readonly openAtStart: Uint16Array;
  readonly shapes: readonly DayShape[];
  readonly gaps: readonly Gap[];
}

const lastMinute = 1_439;
/** A year hardly has more kinds of days; further ones are computed again. */
const mostShapes = 4_096;

/** For at most sixteen windows. */
export class WindowCalendar {
  readonly #timeZone: string;
  readonly #windows: readonly WindowDays[];
  /** Days without a gap, by their kinds for the windows. */
  readonly #shapes = new Map<number, DayShape>();
  /** By month, date and day of the week. */
  readonly #kinds = new Map<number, number>();
  readonly #years = new Map<number, Year>();

  constructor(timeZone: string, windows: readonly WindowDays[]) {
    this.#timeZone = timeZone;
    this.#windows = windows;
  }

  /** Names of the windows that are open. */
  openAt(wallMs: number): readonly string[] {
    const { day, minute } = placeOf(wallMs);
    return this.#levelsOf(day).flatMap((levels, index) => {
      const name = this.#windows[index]?.name;
      return name !== undefined && isOpenAt(levels, minute) ? [name] : [];
    });
  }

  isOpenAt(wallMs: number): boolean {
    const { day, minute } = placeOf(wallMs);
    const { startsOpen, edges } = this.#shapeOf(day);
    return startsOpen !== (edges.filter((edge) => edge <= minute).length % 2 === 1);
  }

  /** The first wall time after one, up to another, at which it opens or closes. */
  nextChange(afterMs: number, untilMs: number): number | undefined {
    const from = placeOf(afterMs);
    const last = placeOf(untilMs).day;
    for (let day = from.day; day <= last; day++) {
      const shape = this.#shapeOf(day);
      const isNew = day > from.day && shape.startsOpen !== this.#shapeOf(day - 1).endsOpen;
      const minute = isNew ? 0 : shape.edges.find((edge) => day > from.day || edge > from.minute);
      if (minute === undefined) continue;
      const wallMs = day * dayMs + minute * minuteMs;
      return wallMs <= untilMs ? wallMs : undefined;
    }
    return undefined;
  }

  /** The last wall time up to one, after another, at which it opened or closed. */
  lastChange(untilMs: number, afterMs: number): number | undefined {
    const to = placeOf(untilMs);
    const first = placeOf(afterMs).day;
    for (let day = to.day; day >= first; day--) {
      const shape = this.#shapeOf(day);
      const edge = shape.edges.findLast((each) => day < to.day || each <= to.minute);
      const minute = edge ?? (shape.startsOpen === this.#shapeOf(day - 1).endsOpen ? undefined : 0);
      if (minute === undefined) continue;
      const wallMs = day * dayMs + minute * minuteMs;
      return wallMs > afterMs ? wallMs : undefined;
    }
    return undefined;
  }

  #shapeOf(day: number): DayShape {
    const { firstDay, shapes } = this.#yearOf(day);
    const shape = shapes[day - firstDay];
    if (shape === undefined) throw new RangeError(`${day} is not in its year`);
    return shape;
  }

  /** For a day without a gap. */
  #plainShape(day: number, open: number): DayShape {
    const key = this.#kindsOf(day) * 0x1_0000 + open;
    let shape = this.#shapes.get(key);
    if (shape === undefined) {
      shape = shapeOf(this.#levelsWith(day, open, undefined));
      if (this.#shapes.size >= mostShapes) this.#shapes.clear();
      this.#shapes.set(key, shape);
    }
    return shape;
  }

  #levelsOf(day: number): readonly DayLevels[] {
    const { firstDay, openAtStart, gaps } = this.#yearOf(day);
    const open = openAtStart[day - firstDay] ?? 0;
    return this.#levelsWith(day, open, gapOn(day, gaps));
  }

  #levelsWith(day: number, open: number, gap: Gap | undefined): readonly DayLevels[] {
    const kinds = this.#kindsOf(day);
    return this.#windows.map((window, index) => {
      const [kind, isOpen] = [kindIn(kinds, index), isOpenIn(open, index)];
      return gap === undefined
        ? window.levelsOf(kind, isOpen)
        : window.levelsWithGap(day, gap, { kind, isOpen });
    });
  }

  /** Two bits for each window. */
  #kindsOf(day: number): number {
    const at = calendarDay(day);
    const key = (at.month * 32 + at.date) * 8 + at.weekday;
    let kinds = this.#kinds.get(key);
    if (kinds === undefined) {
      kinds = this.#windows.reduce((sum, window, index) => sum + window.kindOf(at) * 4 ** index, 0);
      this.#kinds.set(key, kinds);
    }
    return kinds;
  }

  #yearOf(day: number): Year {
    const year = yearOf(day * dayMs);
    let known = this.#years.get(year);
    if (known === undefined) {
      known = this.#walk(year);
      this.#years.set(year, known);
    }
    return known;
  }

  #walk(year: number): Year {
    const firstDay = Date.UTC(year, 0, 1) / dayMs;
    const days = Date.UTC(year + 1, 0, 1) / dayMs - firstDay;
    const openAtStart = new Uint16Array(days + 1);
    openAtStart[0] = this.#years.get(year - 1)?.openAtStart.at(-1) ?? this.#openBefore(firstDay);
    const gaps = gapsBetween(this.#timeZone, firstDay * dayMs, (firstDay + days) * dayMs);
    const shapes = Array.from({ length: days }, (_, index) => {
      const [day, open] = [firstDay + index, openAtStart[index] ?? 0];
      const gap = gapOn(day, gaps);
      const shape =
        gap === undefined ? this.#plainShape(day, open) : shapeOf(this.#levelsWith(day, open, gap));
      openAtStart[index + 1] = shape.openAtEnd;
      return shape;
    });
    return { firstDay, openAtStart, shapes, gaps };
  }

  #openBefore(day: number): number {
    return this.#windows.reduce(
      (open, window, index) => open | (Number(window.isOpenBefore(day)) << index),
      0,
    );
  }
}

/** The gap that overlaps the day or ends in it. */
function gapOn(day: number, gaps: readonly Gap[]): Gap | undefined {
  return gaps.find(({ fromMs, toMs }) => fromMs < (day + 1) * dayMs && day * dayMs <= toMs);
}

function kindIn(kinds: number, index: number): DayKind {
  return ((kinds / 4 ** index) & 3) as DayKind;
}

function isOpenIn(open: number, index: number): boolean {
  return ((open >> index) & 1) === 1;
}

function placeOf(wallMs: number): { readonly day: number; readonly minute: number } {
  const day = Math.floor(wallMs / dayMs);
  return { day, minute: Math.floor((wallMs - day * dayMs) / minuteMs) };
}

function shapeOf(levels: readonly DayLevels[]): DayShape {
  const union = unionOf(levels);
  return {
    startsOpen: isOpenAt(union, 0),
    endsOpen: isOpenAt(union, lastMinute),
    edges: edgesOf(union),
    openAtEnd: levels.reduce(
      (open, each, index) => open | (Number(isOpenAt(each, lastMinute)) << index),
      0,
    ),
  };
}
