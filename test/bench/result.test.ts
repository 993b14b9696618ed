import { expect, it } from 'vitest';
import { type BenchResult, type Machine, resultFormat, toldAfter } from './result.ts';
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

it('tells of a run of one kind beside the figures that there are of the other', () => {
  const both = { ...flows, daemons: daemons.daemons };
  expect(toldAfter(daemons, flows)).toEqual(both);
  expect(toldAfter(flows, daemons)).toEqual(both);
});

it('tells of a run alone where there was none before, or where it has both', () => {
  expect(toldAfter(flows, undefined)).toEqual(flows);
  expect(toldAfter(daemons, undefined)).toEqual(daemons);
  const both: BenchResult = { ...flows, daemons: { ...about, measurements: [] } };
  expect(toldAfter(both, daemons)).toEqual(both);
});
