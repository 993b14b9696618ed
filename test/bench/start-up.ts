/**
 * `npm run bench:start-up`: how long each command takes from the npm bundle, as a process of its own. A command that
 * needs a cluster runs until it looks for one, when all its code is loaded.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runToEnd } from '#test/support/control-plane/run-to-end.ts';
import { bundleOf } from '../../deploy/build/bundle.ts';
import { packPackage } from '../../deploy/build/npm-package.ts';
import { percentile } from './percentile.ts';

const { values: flags } = parseArgs({
  options: { runs: { type: 'string', default: '15' }, only: { type: 'string' } },
});
const root = join(import.meta.dirname, '../..');
const noCluster = ['--kubeconfig', join(root, 'no-such-kubeconfig')];
const hello = join(root, 'deploy/examples/hello.yaml');
const nights = join(root, 'deploy/examples/suspend-nights.yaml');

/** The arguments of each command. `up` and `demo` start a cluster of their own (test/bench/up.ts). */
const calls: Readonly<Record<string, readonly string[]>> = {
  help: ['--help'],
  version: ['version'],
  completion: ['completion', 'bash'],
  lint: ['lint', hello],
  graph: ['graph', '-f', hello],
  'schedule preview': ['schedule', 'preview', nights],
  crds: ['crds'],
  ...Object.fromEntries(
    [
      ...['get', 'watch', 'logs', 'retry', 'cancel', 'suspend', 'resume', 'approve', 'why'],
      'journal',
    ].map((verb) => [verb, [verb, 'hello', ...noCluster]]),
  ),
  apply: ['apply', '-f', hello, ...noCluster],
  delete: ['delete', '-f', hello, ...noCluster],

  replay: ['replay', '--deliver', 'hello', ...noCluster],
  queue: ['queue', ...noCluster],
  invoke: ['invoke', 'flow-advance', 'hello', ...noCluster],
  install: ['install', '--dry-run', ...noCluster],
  uninstall: ['uninstall', '--dry-run', ...noCluster],
  upgrade: ['upgrade', '--dry-run', ...noCluster],
  doctor: ['doctor', ...noCluster],
  run: ['run', ...noCluster],
};

interface StartUp {
  /** User and system time of the process, in milliseconds. */
  readonly cpuMs: number;
  readonly wallMs: number;
}

const home = await mkdtemp(join(tmpdir(), 'millrace-bench-start-up-'));
try {
  const launcher = await installed();
  process.stdout.write(lineOf('verb', ['median ms', 'least', 'CPU ms']));
  await measure('node alone', ['-e', '0']);
  for (const [verb, args] of Object.entries(calls)) {
    if (flags.only === undefined || flags.only.split(',').includes(verb)) {
      await measure(verb, [launcher, ...args]);
    }
  }
} finally {
  await rm(home, { recursive: true, force: true });
}

async function measure(verb: string, args: readonly string[]): Promise<void> {
  // The first start fills the compile cache.
  await started(args);
  const runs: StartUp[] = [];
  for (let run = 0; run < Number(flags.runs); run += 1) runs.push(await started(args));
  const wall = runs.map(({ wallMs }) => wallMs);
  const cpu = runs.map(({ cpuMs }) => cpuMs);
  const figures = [percentile(wall, 0.5), Math.min(...wall), percentile(cpu, 0.5)];
  process.stdout.write(
    lineOf(
      verb,
      figures.map((ms) => ms.toFixed(0)),
    ),
  );
}

function lineOf(verb: string, figures: readonly string[]): string {
  return `${verb.padEnd(18)}${figures.map((figure) => figure.padStart(11)).join('')}\n`;
}

/** The launcher of the package, unpacked as npm does it. */
async function installed(): Promise<string> {
  const archive = await packPackage(await bundleOf('millrace', root), root, home);
  await runToEnd('tar', ['xzf', archive, '-C', home]);
  return join(home, 'package/functions/millrace/bin/millrace.js');
}

/** Bash reports the CPU of the processes that it waited for, which Node does not. */
async function started(args: readonly string[]): Promise<StartUp> {
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    XDG_STATE_HOME: home,
    TIMEFORMAT: '%R %U %S',
  };
  const timed = 'time "$@" >/dev/null 2>/dev/null </dev/null';
  const command = ['-c', timed, 'bash', process.execPath, ...args];
  const { stderr } = await runToEnd('bash', command, { env });
  const [wall = 0, user = 0, system = 0] = stderr.trim().split(' ').map(Number);
  return { wallMs: wall * 1_000, cpuMs: (user + system) * 1_000 };
}
