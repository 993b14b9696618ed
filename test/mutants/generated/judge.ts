/** Finds the suites that notice a generated mutant. Each suite is asked, whatever the other one said. */
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Finding, findingOf, simulation, type TestReport } from '../killers.ts';
import { run } from '../run.ts';
import type { ScratchTree } from '../scratch-tree.ts';
import type { Candidate } from './candidates.ts';
import type { Reach } from './reach.ts';

export interface Judgement {
  /** Undefined: noticed by nothing there. */
  readonly simulation: string | undefined;
  readonly tests: string | undefined;
  readonly seconds: number;
}

/** Time limit of a healthy run on a busy machine, milliseconds: beyond, a mutant goes round in circles. */
const simulationLimitMs = 120_000;
const testsLimitMs = 60_000;
const slowness = 6;
/** No test takes as long. */
const silentMs = 45_000;

export class Judge {
  readonly #reach: Reach;
  readonly #seeds: number;
  readonly #simulated: ReadonlySet<string>;

  constructor(reach: Reach, seeds: number) {
    this.#reach = reach;
    this.#seeds = seeds;
    this.#simulated = new Set(reach.simulation);
  }

  async judge(tree: ScratchTree, candidate: Candidate): Promise<Judgement> {
    const startedMs = performance.now();
    const [simulated, tested] = await tree.withText(candidate.file, candidate.source, async () => [
      await this.#simulate(tree.path, candidate),
      await this.#test(tree.path, candidate),
    ]);
    const seconds = (performance.now() - startedMs) / 1_000;
    return { simulation: simulated, tests: tested, seconds };
  }

  async #simulate(root: string, { id }: Candidate): Promise<string | undefined> {
    if (!this.#simulated.has(id)) return undefined;
    return wordFor(await simulation(root, this.#seeds, simulationLimitMs));
  }

  async #test(root: string, candidate: Candidate): Promise<string | undefined> {
    const files = this.#reach.tests
      .filter(({ reached }) => reached.includes(candidate.id))
      .sort((left, right) => distance(candidate, left.file) - distance(candidate, right.file));
    if (files.length === 0) return undefined;
    const seconds = files.reduce((sum, file) => sum + file.seconds, 0);
    const names = files.map(({ file }) => file);
    return wordFor(await inOrder(root, names, testsLimitMs + slowness * seconds * 1_000));
  }
}

/** Tests of the file itself, then its neighbours', then the others. */
function distance({ file }: Candidate, test: string): number {
  if (test === file.replace(/\.ts$/, '.test.ts')) return 0;
  if (dirname(test) === dirname(file)) return 1;
  return test.startsWith(dirname(file)) || file.startsWith(dirname(test)) ? 2 : 3;
}

/** `broken`: it cannot even be loaded, which is noticed by everything. */
function wordFor(finding: Finding): string | undefined {
  if (finding.kind === 'survived') return undefined;
  return finding.kind === 'killed' ? finding.by : 'it cannot run';
}

/** As few processes as possible: starting them takes longer than most tests. */
async function inOrder(root: string, files: readonly string[], limitMs: number): Promise<Finding> {
  const reportFile = join(root, 'test-report.json');
  await rm(reportFile, { force: true });
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const how = ['--config', 'test/mutants/generated/vitest.config.ts', '--bail', '1'];
  const alone = ['--no-isolate', '--no-file-parallelism'];
  const report = ['--reporter', 'verbose', '--reporter', 'json', '--outputFile', reportFile];
  const { outOfTime, output } = await run([vitest, 'run', ...how, ...alone, ...report, ...files], {
    ...{ cwd: root, limitMs, silentMs },
    env: { MILLRACE_TEST_ORDER: JSON.stringify(files) },
  });
  if (outOfTime) return { kind: 'killed', by: 'the time limit', why: '' };
  const text = await readFile(reportFile, 'utf8').catch(() => undefined);
  if (text === undefined) return { kind: 'broken', why: output };
  return findingOf(JSON.parse(text) as TestReport);
}
