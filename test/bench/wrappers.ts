/**
 * The cost of AppWrappers: the time from the permission to start to the creation of the last resource, requests for
 * each resource, and the controller's CPU time and memory. Without Kueue, they are resumed by hand, as an admission
 * does. Some are resumed one after another, then all others at once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };
import { resources } from '#shared/domain/resources.ts';
import { eachBounded } from '#shared/kube/bounded.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { auditEntries } from '../support/audit-log.ts';
import { startCluster } from '../support/cluster-parts.ts';
import {
  appWrapper,
  statusOf,
  wrappedJob,
  wrappedPod,
  wrappedService,
} from '../support/wrappers/wrapper-manifests.ts';
import { startTogether } from './contenders.ts';
import { percentile } from './percentile.ts';
import { cpuMs, residentMiB } from './process-usage.ts';
import { clientOf } from './site.ts';

const { values: flags } = parseArgs({
  options: {
    wrappers: { type: 'string', default: '500' },
    alone: { type: 'string', default: '20' },
  },
});
const count = Number(flags.wrappers);
/** Resumed one after another on an idle controller. */
const alone = Math.min(Number(flags.alone), count);
const namespace = 'bench-wrappers';
const driver = 'bench-driver';
const atOnce = 16;
const say = (line: string) => process.stdout.write(`${line}\n`);

const names = Array.from({ length: count }, (_, index) => `wrapper-${index}`);
/** The test cluster has addresses for 253 Services. */
const headless = { clusterIP: 'None', selector: { app: 'none' } };
const partsOf = (name: string) => [
  wrappedPod(`${name}-pod`, { runFor: '1h' }),
  wrappedJob(`${name}-job`, { runFor: '1h' }),
  { ...wrappedService(`${name}-service`), spec: headless },
];
const created = /-(?:pod|job|service)$/;

async function create(client: KubeClient, name: string): Promise<void> {
  const { metadata, ...manifest } = appWrapper(name, partsOf(name), { suspend: true });
  await client.create(resources.AppWrapper, { ...manifest, metadata: { ...metadata, namespace } });
}

async function resume(client: KubeClient, name: string): Promise<void> {
  const patch = { spec: { suspend: false } };
  const target = { namespace, name };
  await client.patch(resources.AppWrapper, target, patch, { type: 'merge', fieldManager: driver });
}

/** Waits until this many are in the phase. */
async function until(client: KubeClient, phase: string, wanted: number): Promise<void> {
  for (;;) {
    const { items } = await client.list(resources.AppWrapper, { namespace });
    if (items.filter((each) => statusOf(each).phase === phase).length >= wanted) return;
    await sleep(200);
  }
}

async function each(some: readonly string[], act: (name: string) => Promise<void>): Promise<void> {
  const { errors } = await eachBounded(some, atOnce, act);
  if (errors.length > 0) throw errors[0];
}

/** By name of the AppWrapper: from the answer to its resumption to the answer to its last create, in milliseconds. */
async function timesToLastCreate(auditLog: string): Promise<ReadonlyMap<string, number>> {
  const entries = await auditEntries(auditLog, { namespace });
  const resumed = entries.filter(
    ({ verb, resource, userAgent }) =>
      verb === 'patch' && resource === 'appwrappers' && userAgent.startsWith(driver),
  );
  const creates = entries.filter(
    ({ verb, name, code }) => verb === 'create' && code === 201 && created.test(name),
  );
  const byWrapper = Map.groupBy(creates, ({ name }) => name.replace(created, ''));
  return new Map(
    resumed.map(({ name, answeredAtMs }) => {
      const ends = (byWrapper.get(name) ?? []).map((entry) => entry.answeredAtMs);
      return [name, Math.max(...ends) - answeredAtMs];
    }),
  );
}

await using stack = new AsyncDisposableStack();
const cluster = await startCluster(say);
stack.defer(() => cluster.stop());
const client = await clientOf(stack, cluster, driver);
const metadata = { name: namespace };
await client.create(resources.Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata });
const { processes } = await startTogether({ cluster, client, namespaces: [namespace] }, stack);
const { pid = 0 } = processes.get('millrace') ?? {};
await each(names, (name) => create(client, name));
await until(client, 'Suspended', count);
say(`${count} AppWrappers wait: ${residentMiB(pid).toFixed(0)} MiB`);
const [beganMs, cpuBefore] = [Date.now(), cpuMs(pid)];
for (const [index, name] of names.slice(0, alone).entries()) {
  await resume(client, name);
  await until(client, 'Running', index + 1);
}
const others = names.slice(alone);
await each(others, (name) => resume(client, name));
await until(client, 'Running', count);
const seconds = (Date.now() - beganMs) / 1_000;
const usedMs = cpuMs(pid) - cpuBefore;
const times = await timesToLastCreate(cluster.auditLog);
const userAgent = new RegExp(`^millrace/${packageJson.version.replaceAll('.', '\\.')}`);
const own = await auditEntries(cluster.auditLog, { namespace, userAgent, sinceMs: beganMs });
const writes = Map.groupBy(own, ({ verb, resource, subresource }) =>
  [verb, resource, subresource].filter((word) => word !== '').join(' '),
);
const components = 3 * count;
for (const [title, some] of [
  ['one after another', names.slice(0, alone)],
  ['all at once', others],
] as const) {
  const samples = some.map((name) => times.get(name) ?? Number.NaN);
  const at = (share: number) => `${percentile(samples, share).toFixed(0)} ms`;
  say(`to the last create, ${title}: p50 ${at(0.5)}, p99 ${at(0.99)} of ${samples.length}`);
}
say(`own requests: ${(own.length / components).toFixed(2)} per resource`);
for (const [what, some] of writes) say(`  ${(some.length / components).toFixed(2)} ${what}`);
say(`${(usedMs / components).toFixed(1)} ms of CPU per resource, in ${seconds.toFixed(1)} s`);
say(`${count} AppWrappers run: ${residentMiB(pid).toFixed(0)} MiB`);
