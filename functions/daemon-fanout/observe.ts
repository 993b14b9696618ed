/** The only reads of daemon-fanout: as few as the decision needs. */
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import { frozenDaemonJobHash } from '#shared/api/daemon-job-rules.ts';
import type { ObjectKey } from '#shared/domain/objects.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import { resources } from '#shared/domain/resources.ts';
import { needsHash } from '#shared/parents/acceptance.ts';
import { childrenNamed, listChildren, sortedByName } from '#shared/kube/children.ts';
import type { Reader } from '#shared/kube/reader.ts';
import type { Circumstances } from '#shared/runtime/function/event-function.ts';
import { asDaemonJob } from './observe/daemon-job.ts';
import { isBehindRecord, mayStart } from './observe/may-start.ts';
import { ledgerToGoOnFrom, missingNames, needsCluster, needsJobs } from './observe/needs.ts';
import { observeNodes, unseenMachines, withMachinesNow } from './observe/nodes.ts';
import { withPods } from './observe/pods.ts';
import type { DaemonSnapshot, ObservedNode } from './snapshot.ts';

/** Undefined: the DaemonJob is gone, or a new one has its name. */
export async function observe(
  key: ObjectKey,
  reader: Reader,
  circumstances: Pick<Circumstances, 'nowMs' | 'now'> = {},
): Promise<DaemonSnapshot | undefined> {
  const object = await reader.get(resources.DaemonJob, key);
  if (object?.metadata.uid !== key.uid) return undefined;
  const daemonJob = asDaemonJob(object);
  return {
    daemonJob,
    ...(await observeCluster(daemonJob, reader, circumstances)),
    ...(needsHash(daemonJob) ? { specHash: frozenDaemonJobHash(daemonJob.spec) } : {}),
    rejections: [],
  };
}

type Observed = Pick<DaemonSnapshot, 'nodes' | 'jobs' | 'confirmedMissing' | 'noticesRemovals'>;

async function observeCluster(
  daemonJob: DaemonJob,
  reader: Reader,
  { nowMs, now }: Pick<Circumstances, 'nowMs' | 'now'>,
): Promise<Observed> {
  const jobs =
    needsCluster(daemonJob) || needsJobs(daemonJob)
      ? await listChildren(daemonJob.metadata, reader)
      : [];
  if (!needsCluster(daemonJob)) return { nodes: [], jobs, confirmedMissing: [] };
  const onceThere = reader.onceThere?.(resources.Job, daemonJob.metadata.uid);
  const asOf = now === resources.Node ? 'now' : undefined;
  const nodes = await observeNodes(daemonJob, jobs, reader, asOf);
  const isInDoubt = (): boolean =>
    reader.isCurrent?.(resources.Job) !== true || isBehindRecord(daemonJob, nodes, jobs);
  const present =
    mayStart(daemonJob, nodes, jobs) && isInDoubt()
      ? await withRunning(daemonJob, jobs, reader)
      : jobs;
  const known = { daemonJob, jobs: present, traces: onceThere?.traces ?? [] };
  const listed = await onNodes(known, nodes, reader);
  const seen = asOf === 'now' ? listed : await onMachines(known, listed, reader);
  return {
    ...seen,
    jobs: await withPods(daemonJob, seen.jobs, reader, nowMs),
    ...(onceThere?.isWhole === true ? { noticesRemovals: true } : {}),
  };
}

interface Known {
  readonly daemonJob: DaemonJob;
  readonly jobs: readonly ObservedJob[];
  /** Traces of Jobs that existed once. */
  readonly traces: readonly string[];
}

/** The objects that were read from the cluster. */
type Cluster = Pick<DaemonSnapshot, 'nodes' | 'jobs' | 'confirmedMissing'>;

/** An outdated view of nodes may lack a machine that exists, so doubtful machines are read again. */
async function onMachines(known: Known, seen: Cluster, reader: Reader): Promise<Cluster> {
  const doubtful = unseenMachines(seen, ledgerToGoOnFrom(known.daemonJob));
  if (doubtful.length === 0) return seen;
  const nodes = await withMachinesNow(known.daemonJob, seen.nodes, doubtful, reader);
  return onNodes({ ...known, jobs: seen.jobs }, nodes, reader);
}

/** Adds Jobs that the list lacks although they are recorded for one of these nodes. */
async function onNodes(
  { daemonJob, jobs, traces }: Known,
  nodes: readonly ObservedNode[],
  reader: Reader,
): Promise<Cluster> {
  const doubtful = missingNames(daemonJob, nodes, jobs, traces);
  const found = await childrenNamed(daemonJob.metadata, doubtful, reader);
  const foundNames = new Set(found.map(({ name }) => name));
  return {
    nodes,
    jobs: sortedByName([...jobs, ...found]),
    confirmedMissing: doubtful.filter((name) => !foundNames.has(name)),
  };
}

const notSucceeded = { fieldSelector: 'status.successful=0' };

/**
 * Adds unsuccessful Jobs from the API server. A Job of another replica takes a slot, and its name does not
 * prevent creates for other nodes. A Job of the view with one of these names is gone, since its name was
 * free.
 */
async function withRunning(
  { metadata }: DaemonJob,
  jobs: readonly ObservedJob[],
  reader: Reader,
): Promise<readonly ObservedJob[]> {
  const running = await listChildren(metadata, reader, notSucceeded);
  const taken = new Set(running.map(({ name }) => name));
  const others = jobs.filter(({ name }) => !taken.has(name));
  return sortedByName([...others, ...running]);
}
