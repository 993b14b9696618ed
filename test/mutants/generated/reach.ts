/** Finds the suites that reach a candidate at all, from one run of all of them over counting code. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { sightingIn, type TestReport } from '../killers.ts';
import { run } from '../run.ts';
import { ScratchTree } from '../scratch-tree.ts';
import type { Enumeration } from './candidates.ts';

/** By the id of a candidate. */
export interface Reach {
  readonly simulation: readonly string[];
  readonly tests: readonly TestFileReach[];
  /** Files that failed without any change; nothing can be said by them. */
  readonly unsound: readonly string[];
}

interface TestFileReach {
  readonly file: string;
  readonly seconds: number;
  readonly reached: readonly string[];
}

const limitMs = 30 * 60_000;
const configFile = 'test/mutants/generated/vitest.config.ts';

/** Kept beside the packages until code or tests change. */
export async function reachOf(
  root: string,
  { counting }: Enumeration,
  seeds: number,
): Promise<Reach> {
  const state = `${fingerprint(root)}-${seeds}`;
  const kept = join(root, `node_modules/.cache/millrace/reach-${state}.json`);
  const known = await readFile(kept, 'utf8').catch(() => undefined);
  if (known !== undefined) return JSON.parse(known) as Reach;
  await using tree = await ScratchTree.create(root);
  for (const [file, text] of counting) await writeFile(join(tree.path, file), text);
  const simulation = await countedBySimulation(tree.path, seeds);
  const reach = { simulation, ...(await countedByTests(tree.path)) };
  await mkdir(dirname(kept), { recursive: true });
  await writeFile(kept, JSON.stringify(reach));
  return reach;
}

function fingerprint(root: string): string {
  const files = globSync(['{shared,functions,sandbox,test}/**/*.{ts,json}', 'package-lock.json'], {
    cwd: root,
  });
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 24);
}

async function countedBySimulation(root: string, seeds: number): Promise<readonly string[]> {
  const script = join(root, 'test/mutants/first-violation.ts');
  const { output } = await run([script, String(seeds)], { cwd: root, limitMs });
  const sighting = sightingIn(output);
  if (sighting === undefined) throw new Error(`the simulation did not run: ${output}`);
  const { by, violation, reached } = sighting;
  if (by !== undefined) throw new Error(`without any mutant: ${by}: ${violation ?? ''}`);
  return reached;
}

async function countedByTests(root: string): Promise<Pick<Reach, 'tests' | 'unsound'>> {
  const records = await mkdtemp(join(tmpdir(), 'reach-'));
  const report = join(root, 'test-report.json');
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [
    vitest,
    'run',
    '--config',
    configFile,
    '--reporter',
    'json',
    '--outputFile',
    report,
  ];
  const { output } = await run([...args, '--maxWorkers', '2'], {
    ...{ cwd: root, limitMs },
    env: { MILLRACE_REACH: records },
  });
  const text = await readFile(report, 'utf8').catch(() => {
    throw new Error(`the tests did not run: ${output}`);
  });
  const { testResults } = JSON.parse(text) as TestReport;
  const unsound = testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
  const reached = await readRecords(records);
  await rm(records, { recursive: true });
  return {
    unsound: unsound.map((name) => relative(root, name)),
    tests: testResults
      .filter(({ name }) => !unsound.includes(name))
      .map(({ name, startTime, endTime }) => ({
        file: relative(root, name),
        seconds: (endTime - startTime) / 1_000,
        reached: reached.get(name) ?? [],
      })),
  };
}

async function readRecords(folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const files = await readdir(folder);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return new Map(
    texts.map((text) => {
      const { testPath, reached } = JSON.parse(text) as { testPath: string; reached: string[] };
      return [testPath, reached];
    }),
  );
}
