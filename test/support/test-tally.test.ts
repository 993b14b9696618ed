import { expect, it } from 'vitest';
import { closingLines, settleRuns, type TestRun, type TestTally } from './test-tally.ts';

const tally = (passed: number, failures: readonly string[] = [], skipped = 0): TestTally => ({
  ...{ passed, failures, skipped, attacks: [] },
});
const run = (tally: TestTally | undefined, exitCode: number): TestRun => ({
  ...{ name: 'unit', tally, exitCode },
});

it('a clean run is reported as its parts reported it', () => {
  expect(settleRuns([run(tally(12, [], 1), 0)], [])).toEqual(tally(12, [], 1));
});

it('reported failures are counted once', () => {
  expect(settleRuns([run(tally(12, ['a', 'b']), 1)], [])).toEqual(tally(12, ['a', 'b']));
});

it('counts a run that ended before its reporter as one failed', () => {
  const failure = 'unit: ended with 134 before it reported its result';
  expect(settleRuns([run(undefined, 134)], [])).toEqual(tally(0, [failure]));
});

it('counts a run in which no test passed as one failed', () => {
  expect(settleRuns([run(tally(0, [], 9), 0)], [])).toEqual(tally(0, ['no test passed'], 9));
});

it('counts a non-zero exit that no failed test explains as one failed', () => {
  const failure = 'unit: ended with 1, although no test failed';
  expect(settleRuns([run(tally(12), 1)], [])).toEqual(tally(12, [failure]));
});

it('adds what several runs came to, and lets one of them be skipped', () => {
  const runs = [run(tally(12, ['a'], 1), 1), run(tally(0, [], 9), 0)];
  expect(settleRuns(runs, [])).toEqual(tally(12, ['a'], 10));
});

it('counts each run that ended before its reporter', () => {
  const { passed, failures } = settleRuns([run(tally(12), 0), run(undefined, 1)], []);
  expect(passed).toBe(12);
  expect(failures).toHaveLength(1);
});

it('adds the checks that failed before the tests', () => {
  const failures = ['check: lint', 'check: types', 'a'];
  expect(settleRuns([run(tally(12, ['a']), 1)], ['lint', 'types'])).toEqual(tally(12, failures));
});

it('each failure is repeated before the last line, where a reader of the end finds it', () => {
  const lines = ['FAILED a', 'FAILED b', '3 passed, 2 failed'];
  expect(closingLines(tally(3, ['a', 'b']))).toEqual(lines);
});

it('names skipped tests in the last line only when there are any', () => {
  expect(closingLines(tally(3))).toEqual(['3 passed, 0 failed']);
  expect(closingLines(tally(3, [], 2))).toEqual(['3 passed, 0 failed, 2 skipped']);
});

it('says of several runs together how many attacks are safe', () => {
  const attacked = (...numbers: readonly number[]): TestTally => ({
    ...tally(numbers.length),
    attacks: numbers.map((number) => ({ title: `#${number} does nothing`, state: 'passed' })),
  });
  const [first = ''] = closingLines(settleRuns([run(attacked(34), 0), run(attacked(35), 0)], []));
  expect(first).toMatch(/^attacks: 2 of \d+ safe, \d+ open\n/);
  expect(first).not.toContain('attack 35 ');
});
