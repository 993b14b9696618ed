/** Vitest as a process, and its result. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { extentVariable, type TestExtent } from './test-extent.ts';
import { type TestRun, type TestTally, tallyFileVariable } from './test-tally.ts';
import { workersVariable } from './test-workers.ts';

/** For background runs: a quarter of a processor remains for them if others need both. */
const niceness = 5;
const compiledCode = join(import.meta.dirname, '../../node_modules/.cache/millrace-test-code');
const reporter = join(import.meta.dirname, 'tally-reporter.ts');

/** Of several concurrent runs, one reports as it goes and the others at their end. `behind`: at low priority. */
export type Place = 'ahead' | 'beside' | 'behind';

export interface VitestOptions {
  /** Default: `ahead`. */
  readonly place?: Place;
  /** The number of files without a control plane that run at once. Default: one on each processor. */
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

/** The exit code, or 128 + n after signal n. */
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
        // Later processes reuse the compiled code of earlier ones.
        NODE_COMPILE_CACHE: compiledCode,
        // The control planes are written in Go: some hundred megabytes save a tenth of their CPU time.
        GOGC: '400',
        ...(workers === undefined ? {} : { [workersVariable]: `${workers}` }),
      },
    });
    if (place === 'behind' && child.pid !== undefined) setPriority(child.pid, niceness);
    let printed = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (printed += text));
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
      });
    }
    child.on('error', reject);
    child.on('close', (code, signal) => {
      process.stdout.write(printed);
      resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal]);
    });
  });
}
