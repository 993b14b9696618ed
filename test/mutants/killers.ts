/** The simulation notices a bug, else the tests that concern the rule. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sighting } from './first-violation.ts';
import { run } from './run.ts';

export type Finding =
  /** `by`: the seed, or the name of the test. */
  | { readonly kind: 'killed'; readonly by: string; readonly why: string }
  | { readonly kind: 'survived' }
  /** It could not be run, so nothing noticed anything: the list has to be mended. */
  | { readonly kind: 'broken'; readonly why: string };

/** Far beyond any healthy run, in milliseconds. */
const farLimitMs = 15 * 60_000;
/** Faults of the mutant itself, not of what it does. */
const cannotRun = /SyntaxError|ReferenceError|ERR_MODULE_NOT_FOUND|the simulation itself/;

/** Runs `seeds` seeds in the tree at `root`, up to the first one that violates an invariant. */
export async function simulation(
  root: string,
  seeds: number,
  limitMs = farLimitMs,
): Promise<Finding> {
  const script = join(root, 'test/mutants/first-violation.ts');
  const { code, output, outOfTime } = await run([script, String(seeds)], { cwd: root, limitMs });
  if (outOfTime) return { kind: 'killed', by: 'simulation, the time limit', why: '' };
  const sighting = code === 0 ? sightingIn(output) : undefined;
  if (sighting === undefined) return { kind: 'broken', why: endOf(output) };
  const { by, violation = '' } = sighting;
  if (by === undefined) return { kind: 'survived' };
  if (cannotRun.test(violation)) return { kind: 'broken', why: violation };
  return { kind: 'killed', by: `simulation, ${by}`, why: violation };
}

export function sightingIn(output: string): Sighting | undefined {
  const last = output.trim().split('\n').at(-1) ?? '';
  return last.startsWith('{') ? (JSON.parse(last) as Sighting) : undefined;
}

/** As vitest's json reporter writes it. */
export interface TestReport {
  readonly testResults: readonly {
    /** The file. */
    readonly name: string;
    /** Milliseconds since 1970. */
    readonly startTime: number;
    readonly endTime: number;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Runs the test files one after another, up to the first test that fails. */
export async function tests(root: string, files: readonly string[]): Promise<Finding> {
  const reportFile = join(root, 'test-report.json');
  await rm(reportFile, { force: true });
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { output } = await run(
    [vitest, 'run', ...['unit', 'contract', 'attacks'].flatMap((name) => ['--project', name])]
      .concat(['--no-file-parallelism'])
      .concat(['--bail', '1', '--reporter', 'json', '--outputFile', reportFile])
      .concat(files),
    { cwd: root, limitMs: farLimitMs },
  );
  const report = await readFile(reportFile, 'utf8').catch(() => undefined);
  if (report === undefined) return { kind: 'broken', why: endOf(output) };
  return findingOf(JSON.parse(report) as TestReport);
}

export function findingOf({ testResults }: TestReport): Finding {
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = results.find(({ status }) => status === 'failed');
  const unloadable = testResults.find((file) => file.status === 'failed' && file.message !== '');
  if (failed === undefined) {
    const passed = results.some(({ status }) => status === 'passed');
    if (unloadable !== undefined) return { kind: 'broken', why: unloadable.message };
    return passed ? { kind: 'survived' } : { kind: 'broken', why: 'no test ran' };
  }
  const why = failed.failureMessages[0] ?? '';
  if (cannotRun.test(why)) return { kind: 'broken', why };
  return { kind: 'killed', by: failed.fullName, why: why.split('\n')[0] ?? '' };
}

function endOf(output: string): string {
  return output.trim().split('\n').slice(-12).join('\n');
}
