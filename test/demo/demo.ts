/**
 * The main use case from start to end on real parts: a control plane, Redis, `millrace run`, and kubectl, which applies
 * the five-job flow, the error flow and the template flow.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Cluster, startCluster } from '../support/cluster-parts.ts';
import { kubectlOrThrow } from '../support/control-plane/kubectl.ts';
import { type Redis, startRedis } from '../support/redis.ts';
import {
  type Ask,
  exampleFiles,
  followToTheEnd,
  printWhatKubectlSays,
  wrongEnds,
} from './flows-until-ended.ts';
import { scaledExample } from './scaled-example.ts';
import { elapsed, say, step } from './timed-lines.ts';

const root = join(import.meta.dirname, '../..');
/** `sleep 100s` of the examples takes 4 s here. */
const timesFaster = 25;
const deadlineMs = 120_000;

process.exitCode = await demo();

async function demo(): Promise<number> {
  const stack = new AsyncDisposableStack();
  const interrupted = new Promise<'interrupted'>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => resolve('interrupted'));
    }
  });
  try {
    const outcome = await Promise.race([play(stack), interrupted]);
    return outcome === 'interrupted' ? 130 : outcome;
  } finally {
    await stack.disposeAsync();
  }
}

async function play(stack: AsyncDisposableStack): Promise<number> {
  step('starting a control plane and Redis');
  const progress = (line: string) => step(line);
  const cluster = await startCluster(progress);
  stack.defer(() => cluster.stop());
  const redis = await startRedis({ progress });
  stack.defer(() => redis.stop());
  step('starting millrace run');
  const log = startMillraceRun(stack, cluster, redis);
  const ask: Ask = (args, input) =>
    kubectlOrThrow(cluster.kubectl, args, input === undefined ? {} : { input });
  for (const file of exampleFiles) {
    const input = await scaledExample(join(root, 'deploy/examples', file), timesFaster);
    const said = await ask(['apply', '-f', '-'], input);
    for (const line of said.trim().split('\n')) step(line);
  }
  const flows = await followToTheEnd(ask, step, deadlineMs);
  await printWhatKubectlSays(ask, ['jobflows.api.practice.com', 'jobs', 'pods'], say);
  return verdict(wrongEnds(flows), log());
}

/** Started as by a user: the launcher, a kubeconfig, a Redis URL. Returns its output so far. */
function startMillraceRun(stack: AsyncDisposableStack, cluster: Cluster, redis: Redis) {
  const launcher = join(root, 'functions/millrace/bin/millrace.js');
  const args = [
    'run',
    '--kubeconfig',
    cluster.adminKubeconfig,
    '--redis',
    redis.url,
    '--port',
    '0',
  ];
  const child = spawn(process.execPath, [launcher, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const ended = once(child, 'exit');
  let stopping = false;
  void ended.then(([code]) => {
    if (!stopping) say(`millrace run ended by itself with ${String(code)}:\n${output}`);
  });
  stack.defer(async () => {
    stopping = true;
    child.kill('SIGTERM');
    await ended;
  });
  return () => output;
}

function verdict(wrong: readonly string[], log: string): number {
  if (wrong.length === 0) {
    say(`\nAll three flows ended as they should, ${elapsed()} after the start.`);
    say('next: npm run cluster, then npx millrace run in a second terminal and kubectl in a third');
    return 0;
  }
  for (const line of wrong) say(`\n${line}`);
  say(`\nmillrace run said:\n${log}`);
  return 1;
}
