/**
 * `npm run mutants`: every bug of the list, one by one, in a copy of the project; each has to be
 * noticed by the simulation or by a test. `-- --only TEXT` takes those whose names have the text,
 * `--seeds N` so many seeds for each. Exit code 1 when one survives or cannot be run.
 */
import { parseArgs } from 'node:util';
import { type Finding, simulation, tests } from './killers.ts';
import { allMutants } from './list/all-mutants.ts';
import type { Mutant } from './mutant.ts';
import { ScratchTree } from './scratch-tree.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [''] },
    seeds: { type: 'string', default: '600' },
  },
});
const seeds = Number(values.seeds);
const chosen = allMutants.filter(({ name }) => values.only.some((text) => name.includes(text)));

await using tree = await ScratchTree.create();
process.exitCode = (await soundWithout(tree)) && (await allNoticed(tree)) ? 0 : 1;

/** Only what passes without a bug can fail because of one. */
async function soundWithout({ path }: ScratchTree): Promise<boolean> {
  const concerned = [...new Set(chosen.flatMap((mutant) => mutant.tests))];
  for (const finding of [await simulation(path, seeds), await tests(path, concerned)]) {
    if (finding.kind === 'survived') continue;
    print(`without any mutant: ${finding.kind === 'killed' ? finding.by : ''} ${finding.why}`);
    return false;
  }
  return true;
}

async function allNoticed(scratch: ScratchTree): Promise<boolean> {
  const findings: Finding[] = [];
  for (const mutant of chosen) {
    const startedMs = performance.now();
    const finding = await scratch.with(mutant, () => noticed(scratch.path, mutant));
    findings.push(finding);
    print(line(mutant, finding, (performance.now() - startedMs) / 1_000));
  }
  const count = (kind: Finding['kind']) => findings.filter((each) => each.kind === kind).length;
  print(`${findings.length} mutants, ${count('killed')} killed`);
  if (count('broken') > 0) print(`${count('broken')} could not be run: mend them`);
  return findings.length > 0 && count('killed') === findings.length;
}

async function noticed(path: string, mutant: Mutant): Promise<Finding> {
  const simulated = await simulation(path, seeds);
  return simulated.kind === 'survived' ? tests(path, mutant.tests) : simulated;
}

function line({ name }: Mutant, finding: Finding, seconds: number): string {
  const time = `${seconds.toFixed(1)} s`.padStart(8);
  const by = finding.kind === 'killed' ? finding.by : finding.kind.toUpperCase();
  const why = finding.kind === 'survived' ? '' : ` (${finding.why.slice(0, 160)})`;
  return `${name.padEnd(68)} ${time}  ${by}${why}`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
