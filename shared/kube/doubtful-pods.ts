/** The Pods of those Jobs of which they may have something to tell. */
import { hasCode } from '#shared/domain/errors.ts';
import {
  controllerOf,
  type KubeObject,
  type ObjectMeta,
  objectName,
  type Uid,
} from '#shared/domain/objects.ts';
import { jobCounts, type ObservedJob } from '#shared/domain/observed-job.ts';
import { observedPods } from '#shared/domain/observed-pods.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Reader } from './reader.ts';

/** The Jobs of `owner`, those in doubt with their Pods. Where nobody is in doubt, nothing is read. */
export async function withPodsOf(
  owner: ObjectMeta,
  jobs: readonly ObservedJob[],
  doubtful: ReadonlySet<Uid>,
  reader: Reader,
): Promise<readonly ObservedJob[]> {
  if (doubtful.size === 0) return jobs;
  const pods = await podsOf(owner, [...doubtful], reader);
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
  owner: ObjectMeta,
  jobs: readonly Uid[],
  reader: Reader,
): Promise<readonly KubeObject[] | undefined> {
  const { namespace } = objectName(owner);
  try {
    return await reader.listByOwners(resources.Pod, { namespace, uid: owner.uid }, jobs);
  } catch (error) {
    if (hasCode(error, 'MR_API_FORBIDDEN')) return undefined;
    throw error;
  }
}
