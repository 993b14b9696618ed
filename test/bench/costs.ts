/**
 * `npm run bench:costs`: what one decision and one review cost at most, in milliseconds of CPU, about the costliest
 * object of each kind that the API server takes and about a plain one. It needs no servers; its figures are
 * published at once, beside those of the other benchmarks.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  figuresPath,
  performancePage,
  performancePagePath,
} from '../../deploy/performance-page.ts';
import { costCases } from '../support/costs/cases.ts';
import { thisMachine } from './machine.ts';
import { percentile } from './percentile.ts';
import { type CostRow, parseResult } from './result.ts';

const root = join(import.meta.dirname, '../..');
const runs = 25;

/** Of a thing that is made anew for each run, the making not counted. */
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
const published = join(root, figuresPath);
const told = {
  ...parseResult(await readFile(published, 'utf8')),
  costs: { startedAt, command: 'npm run bench:costs', machine: thisMachine(), rows },
};
await writeFile(published, `${JSON.stringify(told, null, 2)}\n`);
await writeFile(join(root, performancePagePath), performancePage(told));
