/**
 * What `npm test` runs: obtains the real parts with progress lines, runs every suite (or those that
 * the arguments name, as for `vitest run`) and ends with what failed and the line `N passed, N failed`.
 * Suites on the control plane wait half of the time, for Jobs and leases: two lanes with a control plane each.
 * Attacks and the largest crowd of Jobs have the machine to themselves. The node with containers waits even more: what needs no control
 * plane takes what it leaves of the processors.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { obtainBinaries } from './control-plane/binaries.ts';
import { PartUnavailable, reportProgress } from './part-unavailable.ts';
import { obtainRedisServer } from './redis-binary.ts';
import { workersVariable } from './test-workers.ts';
import {
  closingLines,
  settleRuns,
  type TestRun,
  type TestTally,
  tallyFileVariable,
} from './test-tally.ts';

/** Of what runs behind: a quarter of a processor is left to it where others want both. */
const niceness = 5;
const reporter = join(import.meta.dirname, 'tally-reporter.ts');

const args = process.argv.slice(2);
/** A thousand Jobs with Pods need both processors. */
const crowd = 'test/cluster/daemon-recovery.test.ts';
const onTheControlPlane = [
  ...['--project', 'cluster'],
  ...['--exclude', 'test/attacks/**', '--exclude', crowd],
];
const withoutControlPlane = ['unit', 'simulation', 'contract'].flatMap((name) => [
  '--project',
  name,
]);
const undisturbed = ['--project', 'attacks', '--project', 'cluster', 'test/attacks', crowd];
const realNode = ['--config', 'test/real/vitest.config.ts'];
try {
  if (args.length > 0) {
    close([await runVitest(args)]);
  } else {
    // A chosen suite obtains what it needs by itself.
    await obtainParts();
    const lanes = await Promise.all([
      runVitest([...onTheControlPlane, '--shard=1/2']),
      runVitest([...onTheControlPlane, '--shard=2/2'], 'beside'),
    ]);
    const alone = await runVitest(undisturbed);
    const last = await Promise.all([runVitest(realNode), runVitest(withoutControlPlane, 'behind')]);
    close([...lanes, alone, ...last]);
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  close([{ name: 'the set-up', tally: undefined, exitCode: 1 }]);
}

async function obtainParts(): Promise<void> {
  const external = process.env['REDIS_URL'] ?? '';
  try {
    await obtainBinaries(reportProgress);
    if (external === '') await obtainRedisServer(reportProgress);
  } catch (error) {
    // The set-up of the suites that need it finds the same and says what is skipped.
    if (!(error instanceof PartUnavailable)) throw error;
  }
}

/**
 * Where others run too, one of them tells as it goes and the rest at their end. `behind`: on one processor, of
 * which the others go first.
 */
type Place = 'ahead' | 'beside' | 'behind';

async function runVitest(args: readonly string[], place: Place = 'ahead'): Promise<TestRun> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-tally-'));
  const file = join(folder, 'tally.json');
  try {
    const exitCode = await vitest(args, file, place);
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
function vitest(args: readonly string[], tallyFile: string, place: Place): Promise<number> {
  const reporters = ['--reporter=default', `--reporter=${reporter}`];
  return new Promise((resolve, reject) => {
    const child = spawn('vitest', ['run', ...reporters, ...args], {
      stdio: ['ignore', place === 'ahead' ? 'inherit' : 'pipe', 'inherit'],
      env: {
        ...process.env,
        [tallyFileVariable]: tallyFile,
        ...(place === 'behind' ? { [workersVariable]: '1' } : {}),
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

/** FAILED_CHECKS: the names of the checks of .ci/run that failed before, a line each; they count as failed here. */
function close(runs: readonly TestRun[]): void {
  const failedChecks = (process.env['FAILED_CHECKS'] ?? '').split('\n').filter(Boolean);
  const tally = settleRuns(runs, failedChecks);
  process.stdout.write(`${closingLines(tally).join('\n')}\n`);
  process.exitCode = tally.failures.length === 0 ? 0 : 1;
}
