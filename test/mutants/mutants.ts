/** `npm run mutants`: bugs in a copy of the project, one by one; each has to be noticed. */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { runCampaign } from './generated/campaign.ts';
import { rooms } from './generated/rooms.ts';
import { type Finding, simulation, tests } from './killers.ts';
import { allMutants } from './list/all-mutants.ts';
import type { Mutant } from './mutant.ts';
import { ScratchTree } from './scratch-tree.ts';

const roomNames = rooms.map(({ name }) => name);

const usage = `npm run mutants [-- OPTIONS]

Puts bugs into a copy of the project, one by one, and says who notices: the simulation, or a test.
Without --generated: the bugs of test/mutants/list. Exit code 1 when one is not noticed.

  --only TEXT      those whose names have the text; may be repeated. Of the drawn: whose files have it
  --seeds N        seeds of the simulation for each bug; 600, with --generated 300

  --generated N    N changes that Stryker makes of the code, drawn by chance, as many from each room;
                   exit code 1 when less than 95 % of those without a mark as equivalent are noticed
  --draw SEED      another draw: the same seed and code give the same changes; 1
  --skip N         passes over the first N of the draw, to judge it in portions; 0
  --room NAME      ${roomNames.join(', ')}; may be repeated; all of them
  --workers N      mutants at a time; as many as there are cores

  --help           this text
`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [''] },
    seeds: { type: 'string' },
    generated: { type: 'string' },
    draw: { type: 'string', default: '1' },
    skip: { type: 'string', default: '0' },
    room: { type: 'string', multiple: true, default: roomNames },
    workers: { type: 'string', default: String(availableParallelism()) },
    help: { type: 'boolean', default: false },
  },
});
const seeds = numberOf('seeds', values.seeds ?? (values.generated === undefined ? '600' : '300'));
const chosen = allMutants.filter(({ name }) => values.only.some((text) => name.includes(text)));

if (values.help) process.stdout.write(usage);
else process.exitCode = (await isNoticed()) ? 0 : 1;

async function isNoticed(): Promise<boolean> {
  if (values.generated !== undefined) return generated(values.generated);
  await using tree = await ScratchTree.create();
  return (await soundWithout(tree)) && (await allNoticed(tree));
}

async function generated(count: string): Promise<boolean> {
  const unknown = values.room.find((room) => !roomNames.includes(room));
  if (unknown !== undefined) refuse(`--room takes ${roomNames.join(', ')}, not "${unknown}"`);
  return runCampaign({
    count: numberOf('generated', count, 1),
    seed: numberOf('draw', values.draw),
    skip: numberOf('skip', values.skip),
    only: values.only,
    rooms: values.room,
    seeds,
    workers: numberOf('workers', values.workers, 1),
    print,
  });
}

function numberOf(name: string, text: string, least = 0): number {
  const number = Number(text);
  if (text !== '' && Number.isSafeInteger(number) && number >= least) return number;
  return refuse(`--${name} takes a whole number from ${least} on, not "${text}"`);
}

function refuse(why: string): never {
  process.stderr.write(`${why}\nSee --help.\n`);
  process.exit(2);
}

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
