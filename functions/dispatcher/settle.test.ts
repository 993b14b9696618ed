import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxFailures, settle } from './settle.ts';

const at = (failures: number, random = 0) => ({ failures, random });

describe('a requeue', () => {
  it('waits for its time without an attempt being counted', () => {
    expect(settle({ kind: 'requeue', afterMs: 5_000 }, at(0))).toEqual({
      kind: 'later',
      afterMs: 5_000,
      failed: false,
    });
  });
  it('forgets the failures before it by one more run', () => {
    expect(settle({ kind: 'requeue', afterMs: 5_000 }, at(3))).toEqual({ kind: 'again' });
  });
});

it('acknowledges what is done, however often it failed before', () => {
  expect(settle({ kind: 'done' }, at(7))).toEqual({ kind: 'ack' });
});

it('sets aside what is parked, with its reason', () => {
  expect(settle({ kind: 'parked', detail: 'wrong' }, at(0))).toEqual({
    kind: 'park',
    reason: 'wrong',
  });
});

describe('later', () => {
  it.each([
    [0, 250],
    [0.999999, 2_000],
  ])('waits 250 ms to 2 s (random %d: %d)', (random, delayMs) => {
    expect(settle({ kind: 'later', detail: '' }, at(5, random))).toEqual({
      kind: 'later',
      afterMs: delayMs,
      failed: false,
    });
  });
  it('is never before the time that was asked for, nor far beyond it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 300_000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (afterMs, random) => {
          const settled = settle({ kind: 'later', afterMs, detail: '' }, at(0, random));
          expect(settled).toMatchObject({ kind: 'later', failed: false });
          const delayMs = settled.kind === 'later' ? settled.afterMs : NaN;
          expect(delayMs).toBeGreaterThanOrEqual(afterMs);
          expect(delayMs).toBeLessThanOrEqual(afterMs + 500);
        },
      ),
    );
  });
});

it('uses no attempt, and time, while the function does not believe who sends', () => {
  for (const failures of [0, 7]) {
    expect(settle({ kind: 'refused', detail: '401' }, at(failures))).toEqual({
      kind: 'later',
      afterMs: 15_000,
      failed: false,
    });
  }
});

it('an unreachable function costs no attempt, however often the item has failed', () => {
  for (const failures of [0, maxFailures - 1]) {
    expect(settle({ kind: 'unreachable', detail: 'ECONNREFUSED' }, at(failures))).toEqual({
      kind: 'later',
      afterMs: 250,
      failed: false,
    });
  }
});

describe('a retry', () => {
  const delays = (random: number) =>
    Array.from({ length: maxFailures - 1 }, (_, failures) => {
      const settled = settle({ kind: 'retry', detail: 'x' }, at(failures, random));
      return settled.kind === 'later' && settled.failed ? settled.afterMs : settled.kind;
    });
  it('doubles its delay from 200 ms', () => {
    expect(delays(0)).toEqual([200, 400, 800, 1_600, 3_200, 6_400, 12_800]);
  });
  it('is spread over the second half of its delay', () => {
    expect(delays(0.999999)).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400]);
  });
  it('sets the item aside after the eighth failure, with the last reason', () => {
    expect(settle({ kind: 'retry', detail: 'boom' }, at(7))).toEqual({
      kind: 'park',
      reason: 'failed 8 times, last: boom',
    });
  });
  it('waits as long as the function asked', () => {
    expect(settle({ kind: 'retry', afterMs: 15_000, detail: '' }, at(0))).toMatchObject({
      afterMs: 15_000,
      failed: true,
    });
  });
});
