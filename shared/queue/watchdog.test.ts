import { expect, it } from 'vitest';
import { freshWatchdog, type ProgressSample, watchProgress } from './watchdog.ts';

/** The watchdog's result after the last of the samples `[seconds, due, settled]`. */
function after(samples: readonly (readonly [number, number, number])[]) {
  let state = freshWatchdog;
  let progress;
  for (const [seconds, due, settled] of samples) {
    const sample: ProgressSample = { monotonicMs: seconds * 1_000, due, settled };
    ({ state, progress } = watchProgress(state, sample));
  }
  return progress;
}

it('is stuck when work was due for 15 s and nothing was settled', () => {
  expect(
    after([
      [0, 3, 0],
      [5, 3, 0],
      [10, 4, 0],
      [15, 4, 0],
    ]),
  ).toEqual({
    kind: 'stuck',
    forMs: 15_000,
  });
});

it('is fine until 15 s have passed', () => {
  expect(
    after([
      [0, 3, 0],
      [14.9, 3, 0],
    ]),
  ).toEqual({ kind: 'fine' });
});

it('counts from the first sample with work, not from the start', () => {
  expect(
    after([
      [0, 0, 0],
      [60, 1, 0],
      [70, 1, 0],
    ]),
  ).toEqual({ kind: 'fine' });
  expect(
    after([
      [0, 0, 0],
      [60, 1, 0],
      [75, 1, 0],
    ]),
  ).toEqual({ kind: 'stuck', forMs: 15_000 });
});

it('counts anew after every settlement, however long the backlog', () => {
  expect(
    after([
      [0, 900, 0],
      [10, 900, 1],
      [20, 900, 2],
      [34, 900, 2],
    ]),
  ).toEqual({ kind: 'fine' });
  expect(
    after([
      [0, 900, 0],
      [10, 900, 1],
      [25, 900, 1],
    ]),
  ).toEqual({
    kind: 'stuck',
    forMs: 15_000,
  });
});

it('is fine without due work, however long nothing is settled', () => {
  expect(
    after([
      [0, 0, 7],
      [3_600, 0, 7],
    ]),
  ).toEqual({ kind: 'fine' });
});

it('forgets the wait when the backlog was empty in between', () => {
  expect(
    after([
      [0, 1, 0],
      [10, 0, 0],
      [20, 1, 0],
      [30, 1, 0],
    ]),
  ).toEqual({ kind: 'fine' });
});
