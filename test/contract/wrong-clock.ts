/** A wall clock that is wrong. A party can see only its time and how it changes. */
export interface WrongClock {
  /** Its lead in milliseconds. Negative: it is behind. */
  readonly offsetMs: number;
  /** The number of its milliseconds that pass in a real one. */
  readonly rate?: number;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

export const wrongClocks: readonly (readonly [string, WrongClock])[] = [
  ['a minute ahead', { offsetMs: minuteMs }],
  ['a minute behind', { offsetMs: -minuteMs }],
  ['an hour ahead', { offsetMs: hourMs }],
  ['an hour behind', { offsetMs: -hourMs }],
  ['twice as fast', { offsetMs: 0, rate: 2 }],
  ['half as fast', { offsetMs: 0, rate: 0.5 }],
];

/** The time of such a clock from now on, given the real one. Milliseconds since the epoch. */
export function showing({ offsetMs, rate = 1 }: WrongClock, realMs: () => number): () => number {
  const sinceMs = realMs();
  return () => Math.floor(sinceMs + offsetMs + (realMs() - sinceMs) * rate);
}
