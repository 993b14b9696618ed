/**
 * `npm run bench:costs`: the largest cost of one decision and one review, in milliseconds of CPU. It uses the
 * costliest object of each kind that the API server accepts, and a plain one. It needs no servers. The figures are
 * published at once, beside those of the other benchmarks.
 */
import { costCases } from '../support/costs/cases.ts';
import { thisMachine } from './machine.ts';
import { percentile } from './percentile.ts';
import { publishBeside } from './publish-beside.ts';
import type { CostRow } from './result.ts';

const runs = 25;

/** Cost of a run whose input is made anew each time, without the making. */
function cpuMs(make: () => () => unknown): number {
  const took = Array.from({ length: runs }, () => {
    const run = make();
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return percentile(took, 0.5);
}

const startedAt = new Date().toISOString();
const rows = costCases.map(({ name, worst, plain }): CostRow => {
  const row = { name, worstMs: cpuMs(worst), plainMs: cpuMs(plain) };
  process.stdout.write(
    `${name.padEnd(60)} ${row.worstMs.toFixed(1)} ms, plain ${row.plainMs.toFixed(2)} ms\n`,
  );
  return row;
});
await publishBeside({
  costs: { startedAt, command: 'npm run bench:costs', machine: thisMachine(), rows },
});
