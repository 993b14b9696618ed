/**
 * Two workloads of a small size, on a real API server and Redis: `millrace run` as a user starts it,
 * Jobs completed by a process that plays the Job controller. Figures are ratios within one run.
 *
 * W0 A null writer, which sends the same requests without any logic; measured before and after.
 * W1 Many flows at once, each with a step, three that depend on it, and one that depends on these.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };
import { resources } from '#shared/domain/resources.ts';
import { HttpKubeClient } from '#shared/kube/http-client.ts';
import { loadConnection } from '#shared/kube/kube-config.ts';
import { type Cluster, startCluster } from '../support/cluster-parts.ts';
import { freePort } from '../support/free-ports.ts';
import { startRedis } from '../support/redis.ts';
import { advanceLatencies, countRequests, duplicateCreates } from './advance-latency.ts';
import { AuditWindow } from './audit-window.ts';
import { completeJob, completeJobs } from './completer.ts';
import { percentile } from './percentile.ts';
import { cpuMs, residentMiB } from './process-usage.ts';
import { chain, diamond, flowOf, plainJob, type Shape } from './workloads.ts';

const { values: flags } = parseArgs({
  options: {
    flows: { type: 'string', default: '200' },
    repeats: { type: 'string', default: '3' },
    namespaces: { type: 'string', default: '4' },
    chains: { type: 'string', default: '10' },
    'in-flight': { type: 'string', default: '8' },
  },
});
const size = {
  flows: Number(flags.flows),
  repeats: Number(flags.repeats),
  namespaces: Number(flags.namespaces),
  chains: Number(flags.chains),
  inFlight: Number(flags['in-flight']),
};
const root = join(import.meta.dirname, '../..');
const ownAgent = `millrace/${packageJson.version}`;
const stepsPerFlow = Object.keys(diamond).length;
/** Longer than what the creation of a Job still makes Millrace do. */
const idleRunMs = 100;
const chainLength = 10;

const stack = new AsyncDisposableStack();
const say = (line: string) => process.stderr.write(`${line}\n`);
try {
  await bench();
} finally {
  await stack.disposeAsync();
}

async function bench(): Promise<void> {
  say('starting a control plane without kubelets, and Redis');
  const cluster = await startCluster(say, { scheduler: false, kwok: false });
  stack.defer(() => cluster.stop());
  await cluster.kill('kube-controller-manager');
  const redis = await startRedis();
  stack.defer(() => redis.stop());
  const client = await clientOf(cluster, 'bench-driver');
  const completer = await clientOf(cluster, 'bench-completer');
  await createNamespaces(client);
  const millrace = await startMillrace(cluster, redis.url);
  const pids = { millrace: millrace.pid ?? 0, redis: redis.pid ?? 0 };
  const audit = new AuditWindow(cluster.auditLog);
  const ending = new AbortController();
  const completing = completeJobs(
    completer,
    (namespace) => (namespace === 'idle' ? idleRunMs : 0),
    ending.signal,
  );

  const idle = await measureIdle(client, audit);
  const runs = [];
  for (let repeat = 0; repeat < size.repeats; repeat++) {
    const before = await nullWriter(client, `null-${repeat}-before`);
    const run = await measureBurst(client, audit, pids, repeat);
    const after = await nullWriter(client, `null-${repeat}-after`);
    const nullStepsPerSecond = (before + after) / 2;
    runs.push({ ...run, nullStepsPerSecond, efficiency: run.stepsPerSecond / nullStepsPerSecond });
    say(`W1 repeat ${repeat + 1}/${size.repeats}: ${run.stepsPerSecond.toFixed(0)} steps/s`);
  }
  ending.abort();
  await completing;
  await report({ idle, runs });
}

async function clientOf(cluster: Cluster, component: string): Promise<HttpKubeClient> {
  const connection = await loadConnection({ kubeconfig: cluster.adminKubeconfig });
  return new HttpKubeClient({ connection, userAgent: component });
}

async function createNamespaces(client: HttpKubeClient): Promise<void> {
  const names = [...namespaces(), 'idle', 'null'];
  for (const name of names) {
    await client.create(resources.Namespace, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
    });
  }
}

function namespaces(): readonly string[] {
  return Array.from({ length: size.namespaces }, (_, index) => `w1-${index}`);
}

async function startMillrace(cluster: Cluster, redisUrl: string) {
  const port = await freePort();
  const launcher = join(root, 'functions/millrace/main.ts');
  const args = [launcher, 'run', '--kubeconfig', cluster.adminKubeconfig, '--redis', redisUrl];
  const child = spawn(process.execPath, [...args, '--port', String(port)], {
    // Its log is not part of what is measured, nor of what is read.
    stdio: 'ignore',
  });
  stack.defer(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  while (!(await isReady(port))) {
    if (child.exitCode !== null) throw new Error(`millrace run ended with ${child.exitCode}`);
    await sleep(50);
  }
  return child;
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/health/readiness`)).ok;
  } catch {
    return false;
  }
}

/** W0: POST Job and PATCH its status, `inFlight` at once; steps per second. */
async function nullWriter(client: HttpKubeClient, prefix: string): Promise<number> {
  const count = size.flows * stepsPerFlow;
  let next = 0;
  const started = performance.now();
  const write = async () => {
    for (let index = next++; index < count; index = next++) {
      const job = await client.create(resources.Job, {
        ...plainJob('null', `${prefix}-${index}`),
        metadata: {
          namespace: 'null',
          name: `${prefix}-${index}`,
          labels: { 'bench.millrace.dev/null-writer': 'true' },
        },
      });
      await completeJob(client, job);
    }
  };
  await Promise.all(Array.from({ length: size.inFlight }, write));
  return (count * 1000) / (performance.now() - started);
}

/** One chain at a time: every advance meets an idle system. */
async function measureIdle(client: HttpKubeClient, audit: AuditWindow) {
  const shape = chain(chainLength);
  const start = await audit.mark();
  for (let index = 0; index < size.chains; index++) {
    await runFlows(client, [{ namespace: 'idle', name: `chain-${index}` }], shape);
  }
  await sleep(1_000);
  const requests = await audit.between(start, await audit.mark());
  // The first chain warms the code up.
  const warm = requests.filter(({ name }) => !name.startsWith('chain-0'));
  const latencies = advanceLatencies(warm, shape);
  return {
    samples: latencies.length,
    advanceP50Ms: percentile(latencies, 0.5),
    advanceP99Ms: percentile(latencies, 0.99),
    requestsPerStep: ownRequests(requests) / (size.chains * chainLength),
  };
}

/** W1: all flows at once. */
async function measureBurst(
  client: HttpKubeClient,
  audit: AuditWindow,
  pids: { millrace: number; redis: number },
  repeat: number,
) {
  const names = Array.from({ length: size.flows }, (_, index) => ({
    namespace: `w1-${index % size.namespaces}`,
    name: `r${repeat}-${index}`,
  }));
  const start = await audit.mark();
  const cpu = { millrace: cpuMs(pids.millrace), redis: cpuMs(pids.redis) };
  const memory = residentMiB(pids.millrace);
  const started = performance.now();
  await runFlows(client, names, diamond);
  const seconds = (performance.now() - started) / 1000;
  await sleep(1_500);
  const steps = size.flows * stepsPerFlow;
  const requests = await audit.between(start, await audit.mark());
  const latencies = advanceLatencies(requests, diamond);
  const duplicates = duplicateCreates(requests);
  if (duplicates.length > 0) throw new Error(`created twice: ${duplicates.join(', ')}`);
  const perStep = (sinceMs: number, pid: number) => (cpuMs(pid) - sinceMs) / steps;
  return {
    stepsPerSecond: steps / seconds,
    advanceP50Ms: percentile(latencies, 0.5),
    advanceP99Ms: percentile(latencies, 0.99),
    requestsPerStep: ownRequests(requests) / steps,
    requests: countRequests(requests, ownAgent),
    millraceCpuMsPerStep: perStep(cpu.millrace, pids.millrace),
    redisCpuMsPerStep: perStep(cpu.redis, pids.redis),
    residentMiB: residentMiB(pids.millrace),
    residentMiBPer1000Flows: ((residentMiB(pids.millrace) - memory) * 1000) / size.flows,
  };
}

function ownRequests(requests: Parameters<typeof countRequests>[0]): number {
  return Object.values(countRequests(requests, ownAgent)).reduce((sum, count) => sum + count, 0);
}

/** Creates the flows and returns when each has ended with Succeed; throws when one Failed. */
async function runFlows(
  client: HttpKubeClient,
  names: readonly { namespace: string; name: string }[],
  shape: Shape,
): Promise<void> {
  const open = new Set(names.map(({ namespace, name }) => `${namespace}/${name}`));
  const { resourceVersion } = await client.list(resources.JobFlow, {});
  const ending = new AbortController();
  const watch = client.watch(resources.JobFlow, {
    resourceVersion,
    timeoutSeconds: 600,
    signal: ending.signal,
  });
  let next = 0;
  const create = async () => {
    for (let item = names[next++]; item !== undefined; item = names[next++]) {
      await client.create(resources.JobFlow, flowOf(item.namespace, item.name, shape));
    }
  };
  const creating = Promise.all(Array.from({ length: size.inFlight }, create));
  for await (const event of watch) {
    if (event.type === 'BOOKMARK') continue;
    const { namespace = '', name } = event.object.metadata;
    const state = (event.object.status as { state?: string } | undefined)?.state;
    if (state === 'Failed') throw new Error(`flow ${namespace}/${name} failed`);
    if (state === 'Succeed') open.delete(`${namespace}/${name}`);
    if (open.size === 0) break;
  }
  ending.abort();
  await creating;
}

type Result = {
  readonly idle: Awaited<ReturnType<typeof measureIdle>>;
  readonly runs: readonly (Awaited<ReturnType<typeof measureBurst>> & {
    nullStepsPerSecond: number;
    efficiency: number;
  })[];
};

async function report(result: Result): Promise<void> {
  const folder = join(import.meta.dirname, 'results');
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'flows.json');
  await writeFile(file, `${JSON.stringify({ size, ...result }, null, 2)}\n`);
  const { idle, runs } = result;
  const rows: [string, (run: Result['runs'][number]) => number, number][] = [
    ['steps/s', (run) => run.stepsPerSecond, 0],
    ['null writer steps/s', (run) => run.nullStepsPerSecond, 0],
    ['efficiency', (run) => run.efficiency, 2],
    ['advance p50 ms', (run) => run.advanceP50Ms, 0],
    ['advance p99 ms', (run) => run.advanceP99Ms, 0],
    ['own requests per step', (run) => run.requestsPerStep, 2],
    ['CPU ms per step, millrace', (run) => run.millraceCpuMsPerStep, 2],
    ['CPU ms per step, Redis', (run) => run.redisCpuMsPerStep, 2],
    ['resident MiB', (run) => run.residentMiB, 0],
    ['MiB per 1,000 flows', (run) => run.residentMiBPer1000Flows, 1],
  ];
  const lines = rows.map(([label, value, digits]) => {
    const all = runs.map(value);
    const cells = [percentile(all, 0.5), Math.min(...all), Math.max(...all)];
    return `${label.padEnd(28)}${cells.map((cell) => cell.toFixed(digits).padStart(10)).join('')}`;
  });
  process.stdout.write(
    [
      '',
      `W1: ${size.flows} flows x ${stepsPerFlow} steps in ${size.namespaces} namespaces, ${size.repeats} repeats`,
      `${''.padEnd(28)}${['median', 'min', 'max'].map((head) => head.padStart(10)).join('')}`,
      ...lines,
      '',
      `idle, chains of ${chainLength}: advance p50 ${idle.advanceP50Ms.toFixed(1)} ms, ` +
        `p99 ${idle.advanceP99Ms.toFixed(1)} ms (${idle.samples} samples), ` +
        `${idle.requestsPerStep.toFixed(2)} own requests per step`,
      `written to test/bench/results/flows.json`,
      '',
    ].join('\n'),
  );
}
