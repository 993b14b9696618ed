/**
 * Measures how fast Kueue admits flows, whose Workloads Millrace makes, and Jobs, whose Workloads Kueue makes itself.
 * Diamonds of five steps, flows of one step with five Pods, and Jobs of five Pods run in turns on one real control
 * plane with a real Kueue. There is quota for all of them, so that none waits for another. Compare the rows with each
 * other: the difference between the first two is the general cost of five Jobs.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { asWorkload, holds } from '#functions/kueue-workload-sync/workload.ts';
import { fieldsOf } from '#shared/domain/json-value.ts';
import { controllerOf, type KubeObject, type NewObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { HttpKubeClient } from '#shared/kube/http-client.ts';
import { auditEntries, type AuditEntry } from '../support/audit-log.ts';
import { diamond } from '../support/chaos/flow-batch.ts';
import { type Cluster, startCluster } from '../support/cluster-parts.ts';
import { kubectlOrThrow } from '../support/control-plane/kubectl.ts';
import { ClusterApi, type Manifest } from '../support/flows/cluster-api.ts';
import { flow, step, type StepOptions, work } from '../support/flows/flow-manifest.ts';
import { ObjectHistory } from '../support/flows/object-history.ts';
import { obtainKueue } from '../support/kueue/program.ts';
import { container, queued } from '../support/kueue/queued.ts';
import { clusterQueue, localQueue, resourceFlavor } from '../support/kueue/queues.ts';
import { type Kueue, startKueue } from '../support/kueue/start.ts';
import { contenders, type Running } from './contenders.ts';
import { percentile } from './percentile.ts';
import { cpuMs } from './process-usage.ts';
import { clientOf } from './site.ts';

const { values: flags } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    repeats: { type: 'string', default: '1' },
    /** `together`: bridge and functions in one process, as in `millrace run`. `apart`: each in its own. */
    processes: { type: 'string', default: 'together' },
  },
});
const [count, repeats] = [flags.count, flags.repeats].map(Number) as [number, number];
const say = (line: string) => process.stdout.write(`${line}\n`);
const creatingAtOnce = 8;
const pollMs = 100;
const patienceMs = 300_000;
/** Time for the last writes after the end, in milliseconds. */
const settleMs = 3_000;
const sync = 'kueue-workload-sync';
const small = { containers: [container('10m')] };

interface Contest {
  readonly name: string;
  readonly kind: 'JobFlow' | 'Job';
  readonly manifest: (name: string, index: number) => Manifest;
}

const contests: readonly Contest[] = [
  {
    name: 'diamond',
    kind: 'JobFlow',
    manifest: (name, index) => queued(diamond(name, index, { pod: small })),
  },
  {
    name: 'one-step',
    kind: 'JobFlow',
    manifest: (name, index) => queued(flow(name, [step('a', fivePods(index))])),
  },
  {
    name: 'job',
    kind: 'Job',
    manifest: (name, index) =>
      queued({
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name },
        spec: work(fivePods(index)),
      }),
  },
];

/** As long as a step, with as many Pods as the diamond has steps. */
function fivePods(index: number): StepOptions {
  const job = { parallelism: 5, completions: 5, backoffLimit: 0 };
  const pod = { ...small, restartPolicy: 'Never' };
  return { runFor: `${500 + (index % 10) * 110}ms`, job, pod };
}

interface Place {
  readonly cluster: Cluster;
  readonly client: HttpKubeClient;
  readonly api: ClusterApi;
  readonly kueue: Kueue;
  readonly running: Running;
}

/** Returns the admissions per second. */
async function run(place: Place, contest: Contest, namespace: string): Promise<number> {
  const { kind, manifest } = contest;
  const { api, client, cluster } = place;
  const metadata = { name: namespace };
  await client.create(resources.Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata });
  await api.apply(namespace, localQueue('main', 'all'));
  await using stack = new AsyncDisposableStack();
  const open = async (of: 'Workload' | Contest['kind']): Promise<ObjectHistory<KubeObject>> => {
    const history = await ObjectHistory.open<KubeObject>(api, of);
    stack.defer(() => history.close());
    return history;
  };
  const [workloads, jobs] = [await open('Workload'), await open(kind)];
  const before = usedMs(place);
  const startMs = Date.now();
  const left = Array.from({ length: count }, (_, index) => manifest(`x-${index}`, index));
  const create = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const { name, labels = {} } = next.metadata;
      const object = { ...next, metadata: { name, labels, namespace } } as unknown as NewObject;
      await client.create(resources[kind], object);
    }
  };
  await Promise.all(Array.from({ length: creatingAtOnce }, create));
  await untilAllFinished(workloads, namespace);
  await sleep(settleMs);
  const used = usedMs(place).map((ms, index) => (ms - (before[index] ?? 0)) / count);
  const admitted = firstMs(workloads, namespace, isAdmitted, ownerName);
  const resumed = firstMs(jobs, namespace, isResumed, ({ metadata }) => metadata.name);
  const latencies = [...admitted].map(([name, ms]) => (resumed.get(name) ?? Infinity) - ms);
  const seconds = (Math.max(...admitted.values()) - startMs) / 1_000;
  const written = await auditEntries(cluster.auditLog, {
    ...{ namespace, resource: 'workloads', sinceMs: startMs },
    verb: /create|patch|update|delete/,
  });
  const each = (of: (entry: AuditEntry) => boolean) =>
    (written.filter((entry) => entry.code < 300 && of(entry)).length / count).toFixed(2);
  const isOurs = ({ userAgent }: AuditEntry) => userAgent.includes(sync);
  const asked = await auditEntries(cluster.auditLog, {
    ...{ userAgent: new RegExp(sync), sinceMs: startMs },
    verb: /get|list|create|patch|delete/,
  });
  say(
    [
      contest.name.padEnd(8),
      `${(count / seconds).toFixed(1)} admissions/s`.padStart(20),
      `p50 ${percentile(latencies, 0.5).toFixed(0)} ms`.padStart(12),
      `p99 ${percentile(latencies, 0.99).toFixed(0)} ms`.padStart(12),
      `writes: ${each(isOurs)} own, ${each((entry) => !isOurs(entry))} of Kueue`.padStart(38),
      `CPU: ${used.map((ms) => ms.toFixed(1)).join(' ms own, ')} ms of Kueue`.padStart(40),
    ].join('  '),
  );
  if (asked.length > 0) say(`  own requests for each: ${requestsForEach(asked)}`);
  return count / seconds;
}

/** The most frequent first, with the code of refused ones. */
function requestsForEach(entries: readonly AuditEntry[]): string {
  const called = ({ verb, resource, subresource, code }: AuditEntry) =>
    [verb, resource, subresource, ...(code < 300 ? [] : [`${code}`])]
      .filter((word) => word !== '')
      .join(' ');
  return [...Map.groupBy(entries, called)]
    .sort(([, left], [, right]) => right.length - left.length)
    .map(([name, { length }]) => `${name} ${(length / count).toFixed(2)}`)
    .join(', ');
}

/** CPU of kueue-workload-sync's process and of Kueue. */
function usedMs({ running, kueue }: Place): readonly number[] {
  return [(running.processes.get(sync) ?? running.processes.get('millrace'))?.pid, kueue.pid()].map(
    (pid) => (pid === undefined ? 0 : cpuMs(pid)),
  );
}

async function untilAllFinished(
  workloads: ObjectHistory<KubeObject>,
  namespace: string,
): Promise<void> {
  const untilMs = Date.now() + patienceMs;
  for (;;) {
    const seen = workloads.current(namespace);
    const finished = seen.filter((each) => holds(asWorkload(each), 'Finished'));
    if (finished.length === count) return;
    if (Date.now() > untilMs) {
      throw new Error(`${finished.length} of ${count} finished after ${patienceMs} ms`);
    }
    await sleep(pollMs);
  }
}

/** When this was first seen for each object, by name, in milliseconds since the epoch. */
function firstMs(
  history: ObjectHistory<KubeObject>,
  namespace: string,
  isIt: (object: KubeObject) => boolean,
  nameOf: (object: KubeObject) => string,
): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  for (const { object, atMs } of history.sightings(namespace)) {
    const name = nameOf(object);
    if (!first.has(name) && isIt(object)) first.set(name, atMs);
  }
  return first;
}

function isAdmitted(object: KubeObject): boolean {
  return holds(asWorkload(object), 'Admitted');
}

function isResumed({ spec }: KubeObject): boolean {
  return fieldsOf(spec)['suspend'] === false;
}

function ownerName({ metadata }: KubeObject): string {
  return controllerOf(metadata)?.name ?? '';
}

await using stack = new AsyncDisposableStack();
const program = await obtainKueue(say);
const cluster = await startCluster(say);
stack.defer(() => cluster.stop());
const kueue = await startKueue({ cluster, program });
stack.defer(() => kueue.stop());
const client = await clientOf(stack, cluster, 'bench-driver');
const { server, caFile, adminToken: token } = cluster;
const api = new ClusterApi({ server, caFile, token });
stack.defer(() => api.close());
const input = JSON.stringify({
  ...{ apiVersion: 'v1', kind: 'List' },
  items: [resourceFlavor('default'), clusterQueue('all', { default: `${count}` })],
});
await kubectlOrThrow(cluster.kubectl, ['apply', '--server-side', '-f', '-'], { input });
const contender = contenders.find(({ name }) => name === flags.processes);
if (contender === undefined)
  throw new Error(`--processes is together or apart, not ${flags.processes}`);
const running = await contender.start({ cluster, client, namespaces: [] }, stack);
const place: Place = { cluster, client, api, kueue, running };
say(`${count} of each; the first row of each is the warm-up`);
const rates = new Map<string, number[]>(contests.map(({ name }) => [name, []]));
for (let turn = 0; turn <= repeats; turn += 1) {
  for (const contest of contests) {
    const rate = await run(place, contest, `queueing-${contest.name}-${turn}`);
    if (turn > 0 || repeats === 0) rates.get(contest.name)?.push(rate);
  }
}
const medianOf = (name: string) => percentile(rates.get(name) ?? [], 0.5);
for (const { name } of contests.slice(0, -1)) {
  const ratio = (medianOf(name) / medianOf('job')).toFixed(2);
  say(
    `${name} has ${ratio} of the admissions/s of job (medians${repeats > 0 ? ' without the warm-up' : ''})`,
  );
}
