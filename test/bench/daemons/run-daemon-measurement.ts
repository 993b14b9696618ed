import { setTimeout as sleep } from 'node:timers/promises';
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import { resources } from '#shared/domain/resources.ts';
import { PartUnavailable } from '../../support/part-unavailable.ts';
import { countRequests, createdJobs, duplicateCreates } from '../advance-latency.ts';
import { AuditWindow } from '../audit-window.ts';
import { contenders, type Running } from '../contenders.ts';
import { cpuMs, residentMiB } from '../process-usage.ts';
import type { Site } from '../site.ts';
import { readWrittenBytes, writtenBetween } from '../written-bytes.ts';
import { benchDaemonJob } from './bench-daemon-job.ts';
import { type StatusSizes, untilComplete, untilSucceeded } from './daemon-ends.ts';
import type { DaemonContenderName, DaemonFigures, DaemonMeasurement } from './daemon-result.ts';
import { nodeLabel, openDaemonSite, warmUpLabel } from './daemon-site.ts';
import { daemonTimes } from './daemon-times.ts';
import type { DaemonWorkload } from './daemon-workloads.ts';
import { writeNodeJobs } from './null-node-writer.ts';

/** Time for a controller's last requests after the end. */
const settleMs = 2_000;

/** A DaemonJob over all nodes by one contender, on a control plane of its own, which ends with `stack`. */
export async function runDaemonMeasurement(
  workload: DaemonWorkload,
  contender: DaemonContenderName,
  stack: AsyncDisposableStack,
  say: (line: string) => void,
): Promise<DaemonMeasurement> {
  const { name, says, nodes } = workload;
  const about = { workload: name, says, contender, nodes };
  try {
    const site = await openDaemonSite(stack, nodes, say);
    const party = await startParty(contender, site, stack);
    return { ...about, figures: await measure(workload, party) };
  } catch (error) {
    if (error instanceof PartUnavailable) throw error;
    return { ...about, fault: String(error) };
  }
}

/** The contender that runs the DaemonJob, and its place. */
interface Party {
  readonly site: Site;
  readonly userAgent: string;
  readonly processes: Running['processes'];
  readonly servers: Readonly<Record<string, number>>;
  /** Runs it to its end; returns the sizes of its status, if there is one. */
  readonly run: (
    daemonJob: DaemonJob,
    label: string,
    signal: AbortSignal,
  ) => Promise<StatusSizes | undefined>;
}

async function startParty(
  name: DaemonContenderName,
  site: Site,
  stack: AsyncDisposableStack,
): Promise<Party> {
  const { client, cluster } = site;
  const pids = {
    'kube-apiserver': cluster.pidOf('kube-apiserver') ?? 0,
    etcd: cluster.pidOf('etcd') ?? 0,
    'kube-controller-manager': cluster.pidOf('kube-controller-manager') ?? 0,
    'kube-scheduler': cluster.pidOf('kube-scheduler') ?? 0,
    kwok: cluster.pidOf('kwok') ?? 0,
  };
  if (name === 'null writer') {
    return {
      ...{ site, servers: pids, processes: new Map() },
      userAgent: 'bench-driver',
      run: async (daemonJob, label, signal) => {
        const { items } = await client.list(resources.Node, { labelSelector: label });
        await writeNodeJobs(client, daemonJob, label);
        await untilComplete(client, daemonJob.metadata.uid, items.length, signal);
        return undefined;
      },
    };
  }
  const contender = contenders.find((each) => each.name === name)!;
  const { processes, redis } = await contender.start(site, stack);
  return {
    ...{ site, processes },
    servers: { ...pids, ...(redis === undefined ? {} : { Redis: redis.pid ?? 0 }) },
    userAgent: contender.userAgent,
    run: ({ metadata: { namespace = '', name: daemonJob } }, _label, signal) =>
      untilSucceeded(client, { namespace, name: daemonJob }, signal),
  };
}

async function measure(workload: DaemonWorkload, party: Party): Promise<DaemonFigures> {
  const { nodes, runFor, atMostSeconds } = workload;
  const { site, processes, servers, userAgent } = party;
  await runOne(party, 'warm-up', { label: warmUpLabel, runFor: '50ms' }, atMostSeconds);
  await sleep(settleMs);

  const own = Object.fromEntries([...processes].map(([name, { pid = 0 }]) => [name, pid]));
  const audit = new AuditWindow(site.cluster.auditLog);
  const writtenBefore = await readWrittenBytes(site.cluster);
  const start = await audit.mark();
  const cpuBefore = { own: each(own, cpuMs), servers: each(servers, cpuMs) };
  const sizes = await runOne(party, workload.name, { label: nodeLabel, runFor }, atMostSeconds);
  const cpuAfter = { own: each(own, cpuMs), servers: each(servers, cpuMs) };
  await sleep(settleMs);
  const requests = await audit.between(start, await audit.mark());
  const { bodies } = writtenBetween(writtenBefore, await readWrittenBytes(site.cluster));

  const duplicates = duplicateCreates(requests);
  if (duplicates.length > 0) throw new Error(`created twice: ${duplicates.join(', ')}`);
  const created = createdJobs(requests);
  if (created !== nodes) throw new Error(`${created} Jobs were created on ${nodes} nodes`);
  const perNode = (after: Counts, before: Counts): Counts =>
    each(after, (value, name) => (value - (before[name] ?? 0)) / nodes);
  return {
    ...daemonTimes(requests),
    requestsPerNode: perNode(countRequests(requests, userAgent), {}),
    ownCpuMsPerNode: perNode(cpuAfter.own, cpuBefore.own),
    serverCpuMsPerNode: perNode(cpuAfter.servers, cpuBefore.servers),
    ownResidentMiB: each(own, residentMiB),
    ...(sizes === undefined ? {} : { status: { ...sizes, sent: bodies['patch daemonjobs'] ?? 0 } }),
  };
}

async function runOne(
  { site, processes, run }: Party,
  name: string,
  what: { readonly label: string; readonly runFor: string },
  atMostSeconds: number,
): Promise<StatusSizes | undefined> {
  const [namespace = ''] = site.namespaces;
  const given = new AbortController();
  const timer = setTimeout(() => given.abort(), atMostSeconds * 1_000);
  try {
    const created = await site.client.create(
      resources.DaemonJob,
      benchDaemonJob(namespace, name, what),
    );
    return await run(created as unknown as DaemonJob, what.label, given.signal);
  } catch (error) {
    const ended = [...processes].filter(([, { pid }]) => pid === undefined).map(([each]) => each);
    const why = ended.length > 0 ? `${ended.join(', ')} ended` : `after ${atMostSeconds} s at most`;
    throw new Error(`${name} did not succeed (${why})`, { cause: error });
  } finally {
    clearTimeout(timer);
    given.abort();
  }
}

type Counts = Readonly<Record<string, number>>;

function each(counts: Counts, of: (value: number, name: string) => number): Counts {
  return Object.fromEntries(
    Object.entries(counts).map(([name, value]) => [name, of(value, name)] as const),
  );
}
