/**
 * `millrace up` as a user starts it. Measures the time until its API answers (warm), its memory with
 * a hundred finished flows, and the time for a thousand five-step flows applied at once.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { JobFlow } from '#shared/api/job-flow.ts';
import type { NewObject } from '#shared/domain/objects.ts';
import { request } from 'undici';
import { resources } from '#shared/domain/resources.ts';
import { HttpKubeClient } from '#shared/kube/http-client.ts';
import { loadConnection } from '#shared/kube/kube-config.ts';
import { percentile } from './percentile.ts';
import { cpuMs, residentMiB } from './process-usage.ts';
import { diamond, flowOf } from './flow-shapes.ts';

const { values: flags } = parseArgs({
  options: {
    starts: { type: 'string', default: '7' },
    flows: { type: 'string', default: '1000' },
    'run-ms': { type: 'string', default: '100' },
  },
});
const root = join(import.meta.dirname, '../..');
const launcher = join(root, 'functions/millrace/bin/millrace.js');
const stateHome = await mkdtemp(join(tmpdir(), 'millrace-bench-up-'));
const say = (line: string) => process.stdout.write(`${line}\n`);
/** A limit, because steps without assertions must not hang either. */
const deadlineMs = 15 * 60_000;
const running = new Set<Up>();

interface Up {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly kubeconfig: string;
  /** From the start of the process to the first answer of its API. */
  readonly readyMs: number;
}

try {
  await startUps();
  await finishedFlows(100);
  await finishedFlows(Number(flags.flows));
} finally {
  await Promise.all([...running].map(stopUp));
  await rm(stateHome, { recursive: true, force: true });
}

async function startUps(): Promise<void> {
  const times: number[] = [];
  // The first start fills the compile cache.
  for (let start = 0; start <= Number(flags.starts); start += 1) {
    const up = await startUp();
    if (start > 0) times.push(up.readyMs);
    if (start === 1) say(`memory idle: ${residentMiB(up.pid).toFixed(0)} MiB`);
    await stopUp(up);
  }
  const [median, worst] = [percentile(times, 0.5), Math.max(...times)];
  say(
    `start-up to a ready API, warm: median ${median.toFixed(0)} ms, worst ${worst.toFixed(0)} ms`,
  );
}

async function finishedFlows(count: number): Promise<void> {
  const up = await startUp();
  const connection = await loadConnection({ kubeconfig: up.kubeconfig });
  const client = new HttpKubeClient({ connection, userAgent: 'bench-up' });
  const startedMs = performance.now();
  const flows = Array.from({ length: count }, (_, index) => quickFlow(`flow-${index}`));
  await Promise.all(flows.map((flow) => client.create(resources.JobFlow, flow)));
  const appliedMs = performance.now() - startedMs;
  const states = await untilAllEnd(client, count, startedMs);
  const seconds = (performance.now() - startedMs) / 1000;
  const metrics = await metricsOf(up.kubeconfig);
  const steps = count * Object.keys(diamond).length;
  say(
    [
      `${count} five-step flows at once: all ended after ${seconds.toFixed(1)} s`,
      `applied in ${(appliedMs / 1000).toFixed(1)} s`,
      `${(steps / seconds).toFixed(0)} steps/s`,
      `${(cpuMs(up.pid) / steps).toFixed(1)} ms CPU a step`,
      `states ${JSON.stringify(states)}`,
      `errors ${metrics}`,
      `memory ${residentMiB(up.pid).toFixed(0)} MiB, peak ${peakMiB(up.pid).toFixed(0)} MiB`,
    ].join(', '),
  );
  await sleep(10_000);
  say(`  10 s later: memory ${residentMiB(up.pid).toFixed(0)} MiB`);
  await connection.close();
  await stopUp(up);
}

function quickFlow(name: string): NewObject {
  const flow = flowOf('default', name, diamond);
  const annotations = {
    'sandbox.millrace.dev/run-seconds': String(Number(flags['run-ms']) / 1000),
  };
  const spec = flow.spec as { readonly flows: readonly { readonly jobTemplate: object }[] };
  const flows = spec.flows.map((step) => {
    const { template } = step.jobTemplate as { readonly template: object };
    return { ...step, jobTemplate: { template: { ...template, metadata: { annotations } } } };
  });
  return { ...flow, spec: { flows } };
}

async function untilAllEnd(
  client: HttpKubeClient,
  count: number,
  startedMs: number,
): Promise<Readonly<Record<string, number>>> {
  for (;;) {
    const { items } = await client.list(resources.JobFlow, { namespace: 'default' });
    const states: Record<string, number> = {};
    for (const { status } of items as readonly JobFlow[]) {
      const state = status?.state ?? 'Pending';
      states[state] = (states[state] ?? 0) + 1;
    }
    if ((states['Succeed'] ?? 0) + (states['Failed'] ?? 0) === count) return states;
    if (performance.now() - startedMs > deadlineMs) return states;
    await sleep(500);
  }
}

/** Failures as counted by the metrics. */
async function metricsOf(kubeconfig: string): Promise<string> {
  const state = JSON.parse(readFileSync(join(kubeconfig, '..', 'up.json'), 'utf8')) as {
    readonly control: string;
  };
  const connection = await loadConnection({ kubeconfig });
  const headers = (await connection.headers()) as Record<string, string>;
  await connection.close();
  const text = await (await fetch(`${state.control}/metrics`, { headers })).text();
  const of = (pattern: RegExp): number =>
    [...text.matchAll(pattern)].reduce((sum, [, value]) => sum + Number(value), 0);
  const failed = of(/^millrace_decisions_total\{.*outcome="failed".*\} (\d+)/gm);
  const parked = of(/^millrace_parked_total\{.*\} (\d+)/gm);
  const conflicts = of(/^millrace_decisions_total\{.*outcome="conflict".*\} (\d+)/gm);
  return `${failed} failed decisions, ${parked} parked, ${conflicts} conflicts`;
}

function peakMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) / 1024;
}

async function startUp(): Promise<Up> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, [launcher, 'up', '--port', '0', '--headless'], {
    env: { ...process.env, XDG_STATE_HOME: stateHome },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const kubeconfig = line.toString().trim().replace('export KUBECONFIG=', '');
  const connection = await loadConnection({ kubeconfig });
  const { dispatcher } = connection;
  const ready = await request(`${connection.server}/readyz`, { dispatcher });
  await ready.body.dump();
  if (ready.statusCode !== 200) throw new Error(`/readyz answered ${ready.statusCode}`);
  const readyMs = performance.now() - startedMs;
  await connection.close();
  const up = { child, pid: child.pid ?? 0, kubeconfig, readyMs };
  running.add(up);
  return up;
}

async function stopUp(up: Up): Promise<void> {
  running.delete(up);
  up.child.kill('SIGTERM');
  await once(up.child, 'exit');
}
