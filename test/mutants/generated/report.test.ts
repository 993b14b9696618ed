import { expect, it } from 'vitest';
import type { Candidate } from './candidates.ts';
import { type Judged, killedShare, survivors, tableOf } from './report.ts';

const noticed = (simulation?: string, tests?: string): Judged => ({
  candidate,
  judgement: { simulation, tests, seconds: 1 },
});
const candidate: Candidate = {
  ...{ id: '1', room: 'apply', file: 'a.ts', line: 3 },
  ...{ original: 'a < b', replacement: 'a <= b', source: 'a <= b' },
};
const equivalent: Judged = { candidate, equivalent: 'it cannot be seen' };

it('counts a mutant as killed by either suite, and leaves equivalents out', () => {
  const judged = [noticed('seed 1'), noticed(undefined, 'a test'), noticed(), equivalent];
  expect(killedShare(judged)).toBe(2 / 3);
  expect(survivors(judged)).toEqual([noticed()]);
});

it('the report has for each room the kills by the simulation, and those by the tests', () => {
  const judged = [noticed('seed 1', 'a test'), noticed(undefined, 'a test'), equivalent];
  const row = tableOf(judged)[1]?.split(/\s{2,}/);
  expect(row).toEqual(['apply', '3', '1', '2 (100.0 %)', '1 (50.0 %)', '2 (100.0 %)', '0']);
});
