/**
 * What the Pods say, read only when it may be worth telling: a Job is on record as started and not all of
 * it is ready, or it has failed and its result is about to be recorded.
 */
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import { nodeKey, readLedger } from '#shared/api/node-ledger.ts';
import { hasCode } from '#shared/domain/errors.ts';
import { labels } from '#shared/domain/labels.ts';
import {
  asUid,
  controllerOf,
  objectName,
  type KubeObject,
  type Uid,
} from '#shared/domain/objects.ts';
import { jobCounts, type ObservedJob } from '#shared/domain/observed-job.ts';
import { observedPods } from '#shared/domain/observed-pods.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Reader } from '#shared/kube/reader.ts';

/** The Jobs, those in doubt with their Pods. */
export async function withPods(
  daemonJob: DaemonJob,
  jobs: readonly ObservedJob[],
  reader: Reader,
): Promise<readonly ObservedJob[]> {
  const doubtful = new Set(jobs.filter((job) => isInDoubt(daemonJob, job)).map(({ uid }) => uid));
  if (doubtful.size === 0) return jobs;
  const pods = await podsOf(daemonJob, [...doubtful], reader);
  if (pods === undefined) return jobs;
  const byJob = Map.groupBy(pods, ({ metadata }) => controllerOf(metadata)?.uid);
  return jobs.map((job) =>
    doubtful.has(job.uid)
      ? { ...job, pods: observedPods(jobCounts(job), byJob.get(job.uid) ?? []) }
      : job,
  );
}

/** Undefined when we may not ask: that costs the explanation and nothing else. */
async function podsOf(
  { metadata }: DaemonJob,
  jobs: readonly Uid[],
  reader: Reader,
): Promise<readonly KubeObject[] | undefined> {
  const { uid } = metadata;
  const { namespace } = objectName(metadata);
  try {
    return await reader.listByOwners(resources.Pod, { namespace, uid }, jobs);
  } catch (error) {
    if (hasCode(error, 'MR_API_FORBIDDEN')) return undefined;
    throw error;
  }
}

function isInDoubt({ status }: DaemonJob, job: ObservedJob): boolean {
  const key = nodeKey(asUid(job.labels[labels.nodeUid] ?? ''));
  const recorded = readLedger(status?.ledger).get(key)?.state;
  if (recorded === 'Failed' || recorded === 'Succeeded') return false;
  const holding = job.conditions.filter(({ status: holds }) => holds === 'True');
  if (holding.some(({ type }) => type === 'Failed')) return true;
  if (recorded !== 'Started' || holding.length > 0) return false;
  if (job.suspend || job.deletionTimestamp !== undefined || job.startTime === undefined)
    return false;
  const { active, ready } = jobCounts(job);
  return ready < active || active === 0;
}
