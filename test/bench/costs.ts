/**
 * What one decision and one review cost at most: milliseconds of CPU about the costliest object of each kind that the
 * API server takes, beside a plain one. `node test/bench/costs.ts`; figures of one run compare with each other.
 */
import { percentile } from './percentile.ts';
import { costCases } from '../support/costs/cases.ts';

const runs = 15;
const say = (line: string) => process.stdout.write(`${line}\n`);

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

say('| one of these | worst, CPU ms | plain, CPU ms |');
say('| --- | --- | --- |');
for (const { name, worst, plain } of costCases) {
  say(`| ${name} | ${cpuMs(worst).toFixed(1)} | ${cpuMs(plain).toFixed(2)} |`);
}
