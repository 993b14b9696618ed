import { expect, it } from 'vitest';
import { type BenchResult, type Machine, resultFormat, mergedWith } from './result.ts';
import { measurement } from './testing/measurements.ts';

const machine: Machine = {
  ...{ processor: 'a', cores: 2, memoryGiB: 4, system: 'Linux', node: 'v24.0.0' },
  ...{ kubernetes: 'v1.36.3', etcd: 'v3.6.6', millrace: '0.1.0' },
};
const about = { startedAt: '2026-11-22T20:00:00.000Z', command: 'npm run bench', machine };
const flows: BenchResult = { format: resultFormat, ...about, measurements: [measurement()] };
const daemons: BenchResult = {
  ...{ format: resultFormat, ...about, command: 'of daemons', measurements: [] },
  daemons: { ...about, command: 'of daemons', measurements: [] },
};

it('a run of one kind is merged with the known figures of the other', () => {
  const both = { ...flows, daemons: daemons.daemons };
  expect(mergedWith(daemons, flows)).toEqual(both);
  expect(mergedWith(flows, daemons)).toEqual(both);
});

it('a run stays as it is where there was none before, or where it has both', () => {
  expect(mergedWith(flows, undefined)).toEqual(flows);
  expect(mergedWith(daemons, undefined)).toEqual(daemons);
  const both: BenchResult = { ...flows, daemons: { ...about, measurements: [] } };
  expect(mergedWith(both, daemons)).toEqual(both);
});
