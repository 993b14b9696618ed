/** Whether windows are open in each minute of one day, as bits. */
import { minutesOfDay } from './calendar.ts';

const words = minutesOfDay / 32;
const allOnes = 0xffff_ffff;

/** A bit for each minute, from the first. */
export type DayLevels = Uint32Array;

/** For each minute: 0 for nothing, `opens`, or `closes`, which is applied first. */
export type DayMarks = Uint8Array;
export const opens = 1;
export const closes = 2;

export function noMarks(): DayMarks {
  return new Uint8Array(minutesOfDay);
}

export function mark(marks: DayMarks, minute: number, what: typeof opens | typeof closes): void {
  marks[minute] = Math.max(marks[minute] ?? 0, what);
}

/** The levels of a window that is open or closed when the day begins. */
export function levelsOf(marks: DayMarks, isOpen: boolean): DayLevels {
  const levels = new Uint32Array(words);
  let level = isOpen;
  for (let minute = 0; minute < minutesOfDay; minute++) {
    const what = marks[minute];
    if (what !== 0) level = what === opens;
    if (level) levels[minute >> 5] = (levels[minute >> 5] ?? 0) | (1 << (minute & 31));
  }
  return levels;
}

export function isOpenAt(levels: DayLevels, minute: number): boolean {
  return (((levels[minute >> 5] ?? 0) >>> (minute & 31)) & 1) === 1;
}

/** Open if one of them is. */
export function unionOf(all: readonly DayLevels[]): DayLevels {
  const full = all.find(isFull);
  if (full !== undefined) return full;
  const union = new Uint32Array(words);
  for (const levels of all) {
    for (let word = 0; word < words; word++) {
      union[word] = (union[word] ?? 0) | (levels[word] ?? 0);
    }
  }
  return union;
}

function isFull(levels: DayLevels): boolean {
  return levels.every((word) => word === allOnes);
}

/** Minutes whose state differs from the minute before, in order. */
export function edgesOf(levels: DayLevels): readonly number[] {
  const edges: number[] = [];
  let level = isOpenAt(levels, 0);
  for (let word = 0; word < words; word++) {
    if ((levels[word] ?? 0) === (level ? allOnes : 0)) continue;
    for (let minute = word * 32; minute < (word + 1) * 32; minute++) {
      if (isOpenAt(levels, minute) === level) continue;
      level = !level;
      edges.push(minute);
    }
  }
  return edges;
}
