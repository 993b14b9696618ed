/** Vitest as a process, and what it came to. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { extentVariable, type TestExtent } from './test-extent.ts';
import { type TestRun, type TestTally, tallyFileVariable } from './test-tally.ts';
import { workersVariable } from './test-workers.ts';

/** Of what runs behind: a quarter of a processor is left to it where others want both. */
const niceness = 5;
const compiledCode = join(import.meta.dirname, '../../node_modules/.cache/millrace-test-code');
const reporter = join(import.meta.dirname, 'tally-reporter.ts');

/** Where others run too, one of them reports as it goes and the rest at their end. `behind`: the others go first. */
export type Place = 'ahead' | 'beside' | 'behind';

export interface VitestOptions {
  /** Default: `ahead`. */
  readonly place?: Place;
  /** So many files that need no control plane run at once. Default: one on each processor. */
  readonly workers?: number;
  readonly extent: TestExtent;
}

export async function runVitest(args: readonly string[], options: VitestOptions): Promise<TestRun> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-tally-'));
  const file = join(folder, 'tally.json');
  try {
    const exitCode = await vitest(args, file, options);
    const tally = await readFile(file, 'utf8').then(
      (text) => JSON.parse(text) as TestTally,
      () => undefined,
    );
    return { name: `vitest ${args.join(' ')}`, tally, exitCode };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The exit code, 128 + n when signal n ended it. */
function vitest(
  args: readonly string[],
  tallyFile: string,
  { place = 'ahead', workers, extent }: VitestOptions,
): Promise<number> {
  const reporters = ['--reporter=default', `--reporter=${reporter}`];
  return new Promise((resolve, reject) => {
    const child = spawn('vitest', ['run', ...reporters, ...args], {
      stdio: ['ignore', place === 'ahead' ? 'inherit' : 'pipe', 'inherit'],
      env: {
        ...process.env,
        [tallyFileVariable]: tallyFile,
        [extentVariable]: extent,
        // What one process of a suite has compiled the next need not.
        NODE_COMPILE_CACHE: compiledCode,
        // The control planes are written in Go: a tenth of their processor time for some hundred megabytes.
        GOGC: '400',
        ...(workers === undefined ? {} : { [workersVariable]: `${workers}` }),
      },
    });
    if (place === 'behind' && child.pid !== undefined) setPriority(child.pid, niceness);
    let told = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (told += text));
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
      });
    }
    child.on('error', reject);
    child.on('close', (code, signal) => {
      process.stdout.write(told);
      resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal]);
    });
  });
}
