/**
 * The main job, start to end, on real parts: a control plane, Redis, `millrace run`, and the
 * five-job flow, the error flow and the template flow applied with kubectl.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, startCluster } from '../support/cluster-parts.ts';
import { kubectlOrThrow } from '../support/control-plane/kubectl.ts';
import { type Redis, startRedis } from '../support/redis.ts';
import { scaledExample } from './scaled-example.ts';

const root = join(import.meta.dirname, '../..');
const examples = [
  'jobtemplates.yaml',
  'jobflow-example.yaml',
  'jobflow-example-error.yaml',
  'jobflow-example-template.yaml',
];
/** `sleep 100s` of the examples takes 4 s here. */
const timesFaster = 25;
const deadlineMs = 120_000;

interface Flow {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly state?: string;
    readonly progress?: string;
    readonly jobStatusList?: readonly { readonly name: string; readonly state: string }[];
  };
}

const startedAt = performance.now();
const say = (line: string) => process.stdout.write(`${line}\n`);
const seconds = () => `${((performance.now() - startedAt) / 1000).toFixed(1)}s`.padStart(6);
const step = (line: string) => say(`${seconds()}  ${line}`);

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
  for (const file of examples) {
    const input = await scaledExample(join(root, 'deploy/examples', file), timesFaster);
    const said = await kubectlOrThrow(cluster.kubectl, ['apply', '-f', '-'], { input });
    for (const line of said.trim().split('\n')) step(line);
  }
  const flows = await followToTheEnd(cluster);
  await printWhatKubectlSays(cluster);
  return verdict(flows, log());
}

/** As a user would start it: the launcher, a kubeconfig, a Redis URL. Returns what it has said so far. */
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

/** Prints a line whenever a flow's steps change, until every flow has ended. */
async function followToTheEnd(cluster: Cluster): Promise<readonly Flow[]> {
  const shown = new Map<string, string>();
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const flows = await readFlows(cluster);
    for (const flow of flows) {
      const line = describeFlow(flow);
      if (shown.get(flow.metadata.name) !== line) step(line);
      shown.set(flow.metadata.name, line);
    }
    if (flows.length === 3 && flows.every(isFinished)) return flows;
    if (performance.now() > deadline) return flows;
    await sleep(250);
  }
}

async function readFlows(cluster: Cluster): Promise<readonly Flow[]> {
  const args = ['get', 'jobflows.api.practice.com', '-o', 'json'];
  return (JSON.parse(await kubectlOrThrow(cluster.kubectl, args)) as { items: Flow[] }).items;
}

function describeFlow({ metadata, status }: Flow): string {
  const steps = (status?.jobStatusList ?? []).map(({ name, state }) => `${name}=${state}`);
  const head = `${metadata.name.padEnd(24)} ${(status?.state ?? 'Pending').padEnd(9)}`;
  return `${head} ${(status?.progress ?? '').padEnd(4)} ${steps.join(' ')}`.trimEnd();
}

function isFinished({ status }: Flow): boolean {
  return status?.state === 'Succeed' || status?.state === 'Failed';
}

async function printWhatKubectlSays(cluster: Cluster): Promise<void> {
  for (const resource of ['jobflows.api.practice.com', 'jobs', 'pods']) {
    say(`\n$ kubectl get ${resource}`);
    say((await kubectlOrThrow(cluster.kubectl, ['get', resource])).trimEnd());
  }
}

function verdict(flows: readonly Flow[], log: string): number {
  const wanted: Readonly<Record<string, string>> = {
    'jobflow-example': 'Succeed',
    'jobflow-example-error': 'Failed',
    'jobflow-example-template': 'Succeed',
  };
  const wrong = flows.filter(({ metadata, status }) => wanted[metadata.name] !== status?.state);
  if (flows.length === 3 && wrong.length === 0) {
    say(`\nAll three flows ended as they should, ${seconds().trim()} after the start.`);
    say('next: npm run cluster, then npx millrace run in a second terminal and kubectl in a third');
    return 0;
  }
  for (const flow of wrong)
    say(`\n${describeFlow(flow)}: expected ${wanted[flow.metadata.name] ?? ''}`);
  say(`\nmillrace run said:\n${log}`);
  return 1;
}
