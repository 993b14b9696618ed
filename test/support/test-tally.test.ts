import { expect, it } from 'vitest';
import { closingLine, settleRuns } from './test-tally.ts';

const tally = (passed: number, failed: number, skipped = 0) => ({ passed, failed, skipped });

it('reports a clean run as it was counted', () => {
  expect(settleRuns([{ tally: tally(12, 0, 1), exitCode: 0 }], 0)).toEqual(tally(12, 0, 1));
});

it('reports counted failures once', () => {
  expect(settleRuns([{ tally: tally(12, 2), exitCode: 1 }], 0)).toEqual(tally(12, 2));
});

it('counts a run that ended before its reporter as one failed', () => {
  expect(settleRuns([{ tally: undefined, exitCode: 134 }], 0)).toEqual(tally(0, 1));
});

it('counts a run in which no test passed as one failed', () => {
  expect(settleRuns([{ tally: tally(0, 0, 9), exitCode: 0 }], 0)).toEqual(tally(0, 1, 9));
});

it('counts a non-zero exit that no failed test explains as one failed', () => {
  expect(settleRuns([{ tally: tally(12, 0), exitCode: 1 }], 0)).toEqual(tally(12, 1));
});

it('adds what several runs came to, and lets one of them be skipped', () => {
  const runs = [
    { tally: tally(12, 1, 1), exitCode: 1 },
    { tally: tally(0, 0, 9), exitCode: 0 },
  ];
  expect(settleRuns(runs, 0)).toEqual(tally(12, 1, 10));
});

it('counts each run that ended before its reporter', () => {
  const passed = { tally: tally(12, 0), exitCode: 0 };
  expect(settleRuns([passed, { tally: undefined, exitCode: 1 }], 0)).toEqual(tally(12, 1));
});

it('adds the checks that failed before the tests', () => {
  expect(settleRuns([{ tally: tally(12, 1), exitCode: 1 }], 2)).toEqual(tally(12, 3));
});

it('names skipped tests in the closing line only when there are any', () => {
  expect(closingLine(tally(3, 1))).toBe('3 passed, 1 failed');
  expect(closingLine(tally(3, 1, 2))).toBe('3 passed, 1 failed, 2 skipped');
});
