import { describe, expect, it } from 'vitest';
import { columns, growthsOf, nullWriterOf, type Row, rowsOf } from './summary.ts';
import { tableHead, tableLine } from './terminal-table.ts';
import { measurement, refused } from './testing/measurements.ts';

const limiting = 'null, status at each wave';

function medianOf(row: Row | undefined, head: string): number | undefined {
  return row?.cells[columns.findIndex((column) => column.head === head)]?.median;
}

describe('a row', () => {
  it('holds the median of the repeats and how far they lie apart', () => {
    const speeds = [30, 10, 20].map((stepsPerSecond) => measurement({}, { stepsPerSecond }));
    const [row, ...others] = rowsOf(speeds);
    expect(others).toEqual([]);
    expect(row?.cells[0]).toEqual({ median: 20, least: 10, most: 30 });
  });

  it('compares with the null writer of the same servers and with the null controller', () => {
    const run = (stepsPerSecond: number) => ({ stepsPerSecond, apiServerCpuMsPerStep: 1 });
    const nullWriter = { before: run(100), after: run(300) };
    const [, row] = rowsOf([
      measurement({ contender: limiting }, { stepsPerSecond: 80 }),
      measurement({}, { stepsPerSecond: 20, nullWriter }),
    ]);
    expect(medianOf(row, 'of the null writer')).toBe(0.1);
    expect(medianOf(row, 'of the null controller')).toBe(0.25);
  });

  it('has no ratio to a null controller that ran another workload only', () => {
    const [, row] = rowsOf([
      measurement({ contender: limiting, workload: 'chain-100' }),
      measurement(),
    ]);
    expect(medianOf(row, 'of the null controller')).toBeUndefined();
  });

  it('sums over processes and over kinds of requests', () => {
    const [row] = rowsOf([
      measurement(
        {},
        { ownCpuMsPerStep: { bridge: 2, dispatcher: 3 }, requestsPerStep: { a: 0.5, b: 1 } },
      ),
    ]);
    expect(medianOf(row, 'own CPU ms per step')).toBe(5);
    expect(medianOf(row, 'own requests per step')).toBe(1.5);
  });

  it('leaves out what the workload does not measure', () => {
    const [row] = rowsOf([measurement({ measures: ['latency'] })]);
    expect(medianOf(row, 'steps per second')).toBeUndefined();
    expect(medianOf(row, 'advance p50, ms')).toBe(1);
  });

  it('of a workload that was refused is its reason', () => {
    const [row] = rowsOf([refused()]);
    expect(row?.fault).toBe('refused: FlowTooLarge: 2 MiB');
    expect(tableLine(row!)).toContain('refused: FlowTooLarge: 2 MiB');
  });

  it('has its figures below their heads', () => {
    const line = tableLine(rowsOf([measurement({}, { stepsPerSecond: 1234 })])[0]!);
    const end = tableHead().indexOf('steps/s') + 'steps/s'.length;
    expect(line.slice(end - 4, end)).toBe('1234');
  });
});

describe('growth', () => {
  const chainOf = (steps: number, seconds: number) =>
    measurement(
      { workload: `chain-${steps}`, series: 'chains', stepsPerFlow: steps, flows: 2 },
      { seconds, serverCpuMsPerStep: { 'kube-apiserver': 5 } },
    );

  it('is computed for time and CPU of a whole flow, over the sizes that were run to their end', () => {
    const longest = refused({ series: 'chains', stepsPerFlow: 1_000 });
    const [growth] = growthsOf([chainOf(10, 1), chainOf(100, 100), longest]);
    expect(growth?.sizes).toEqual([10, 100]);
    expect(growth?.time).toBeCloseTo(2, 10);
    expect(growth?.apiServerCpu).toBeCloseTo(1, 10);
  });

  it('is not computed for one size, nor for workloads outside a series', () => {
    expect(growthsOf([chainOf(10, 1), measurement({ stepsPerFlow: 100 })])).toEqual([]);
  });
});

it('the figures of the null writer are those of all its runs', () => {
  const run = (stepsPerSecond: number) => ({ stepsPerSecond, apiServerCpuMsPerStep: 3 });
  const nullWriter = { before: run(100), after: run(140) };
  expect(nullWriterOf([measurement({}, { nullWriter }), refused()])).toEqual({
    stepsPerSecond: { median: 140, least: 100, most: 140 },
    apiServerCpuMsPerStep: { median: 3, least: 3, most: 3 },
  });
  expect(nullWriterOf([refused()])).toBeUndefined();
});
