import { expect, it } from 'vitest';
import { closingLine, settleTally } from './test-tally.ts';

const tally = (passed: number, failed: number, skipped = 0) => ({ passed, failed, skipped });

it('reports a clean run as it was counted', () => {
  expect(settleTally(tally(12, 0, 1), 0, 0)).toEqual(tally(12, 0, 1));
});

it('reports counted failures once', () => {
  expect(settleTally(tally(12, 2), 1, 0)).toEqual(tally(12, 2));
});

it('counts a run that ended before its reporter as one failed', () => {
  expect(settleTally(undefined, 134, 0)).toEqual(tally(0, 1));
});

it('counts a run in which no test passed as one failed', () => {
  expect(settleTally(tally(0, 0, 9), 0, 0)).toEqual(tally(0, 1, 9));
});

it('counts a non-zero exit that no failed test explains as one failed', () => {
  expect(settleTally(tally(12, 0), 1, 0)).toEqual(tally(12, 1));
});

it('adds the checks that failed before the tests', () => {
  expect(settleTally(tally(12, 1), 1, 2)).toEqual(tally(12, 3));
});

it('names skipped tests in the closing line only when there are any', () => {
  expect(closingLine(tally(3, 1))).toBe('3 passed, 1 failed');
  expect(closingLine(tally(3, 1, 2))).toBe('3 passed, 1 failed, 2 skipped');
});
