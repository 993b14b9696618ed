/** The only reads of daemon-fanout: as few as the decision needs. */
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import { frozenDaemonJobHash } from '#shared/api/daemon-job-rules.ts';
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { asObservedJob, type ObservedJob } from '#shared/domain/observed-job.ts';
import { isControlledBy, objectName, type ObjectKey } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { asDaemonJob } from './observe/daemon-job.ts';
import { missingNames, needsCluster, needsHash, needsJobs } from './observe/needs.ts';
import { observeNodes } from './observe/nodes.ts';
import { withPods } from './observe/pods.ts';
import type { DaemonSnapshot } from './snapshot.ts';

/** Undefined: the DaemonJob is gone, or another one has its name. */
export async function observe(key: ObjectKey, reader: Reader): Promise<DaemonSnapshot | undefined> {
  const object = await reader.get(resources.DaemonJob, key);
  if (object?.metadata.uid !== key.uid) return undefined;
  const daemonJob = asDaemonJob(object);
  return {
    daemonJob,
    ...(await observeCluster(daemonJob, reader)),
    ...(needsHash(daemonJob) ? { specHash: frozenDaemonJobHash(daemonJob.spec) } : {}),
    rejections: [],
  };
}

type Observed = Pick<DaemonSnapshot, 'nodes' | 'jobs' | 'confirmedMissing' | 'noticesRemovals'>;

async function observeCluster(daemonJob: DaemonJob, reader: Reader): Promise<Observed> {
  const { uid } = daemonJob.metadata;
  const jobs =
    needsCluster(daemonJob) || needsJobs(daemonJob) ? await jobsOf(daemonJob, reader) : [];
  if (!needsCluster(daemonJob)) return { nodes: [], jobs, confirmedMissing: [] };
  const nodes = await observeNodes(daemonJob, jobs, reader);
  const removed = reader.removedByOwner?.(resources.Job, uid);
  const doubtful = missingNames(daemonJob, nodes, jobs, removed ?? []);
  const found = await findByName(daemonJob, doubtful, reader);
  const foundNames = new Set(found.map(({ name }) => name));
  return {
    nodes,
    jobs: await withPods(daemonJob, sortedByName([...jobs, ...found]), reader),
    confirmedMissing: doubtful.filter((name) => !foundNames.has(name)),
    ...(removed === undefined ? {} : { noticesRemovals: true }),
  };
}

async function jobsOf({ metadata }: DaemonJob, reader: Reader): Promise<readonly ObservedJob[]> {
  const { namespace } = objectName(metadata);
  const listed = await reader.listByOwner(resources.Job, { namespace, uid: metadata.uid });
  return sortedByName(listed.map(asObservedJob));
}

/**
 * A started Job that the list lacks is asked for by its name before it is taken for deleted: a view may
 * be behind, and somebody may have taken its labels away. A Job of another owner is not ours.
 */
async function findByName(
  { metadata }: DaemonJob,
  names: readonly string[],
  reader: Reader,
): Promise<readonly ObservedJob[]> {
  const { namespace } = objectName(metadata);
  const objects = await Promise.all(
    names.map((name) => reader.get(resources.Job, { namespace, name }, metadata.uid)),
  );
  return objects
    .filter((object) => object !== undefined)
    .filter((object) => isControlledBy(object.metadata, metadata.uid))
    .map(asObservedJob);
}

/** Lists come in no particular order, and the same cluster should give the same record. */
function sortedByName(jobs: readonly ObservedJob[]): readonly ObservedJob[] {
  return [...jobs].sort((left, right) => compareTexts(left.name, right.name));
}
