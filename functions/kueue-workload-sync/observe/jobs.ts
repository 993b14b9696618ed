import type { QueuedKind } from '#shared/api/work/queued-kinds.ts';
import { isFinishedJob } from '#shared/domain/child-state.ts';
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { isList, isObject, parsedObject } from '#shared/domain/json-value.ts';
import { annotations } from '#shared/domain/labels.ts';
import {
  isControlledBy,
  type Json,
  type KubeObject,
  type ObjectKey,
} from '#shared/domain/objects.ts';
import { asObservedJob } from '#shared/domain/observed-job.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Reader } from '#shared/kube/reader.ts';
import type { SuspendedJob } from '../snapshot.ts';
import { asWorkload, holds } from '../workload.ts';
import { fieldOf } from './field-of.ts';

/** Jobs that have not ended and may run. 0 for a kind without Jobs. */
export async function jobsLeft(
  { namespace, uid }: ObjectKey,
  { queueing }: QueuedKind,
  reader: Reader,
): Promise<number> {
  if (queueing.jobs === undefined) return 0;
  const jobs = await reader.listByOwner(resources.Job, { namespace, uid });
  return jobs
    .filter(({ metadata }) => isControlledBy(metadata, uid))
    .map(asObservedJob)
    .filter((each) => !each.suspend && !isFinishedJob(each)).length;
}

/**
 * Jobs that an earlier admission placed, of an object that is about to start again. Views do not keep their templates,
 * so the API server is asked, once for each admission after the first.
 */
export async function suspendedJobs(
  { namespace, uid }: ObjectKey,
  object: KubeObject,
  { queueing }: QueuedKind,
  workloads: readonly KubeObject[],
  reader: Reader,
): Promise<readonly SuspendedJob[]> {
  const { spec, status } = object;
  const isSuspended = fieldOf(spec as Json | undefined, 'suspend') === true;
  const hasStarted = fieldOf(status as Json | undefined, 'startTime') !== undefined;
  const isDue = workloads.map(asWorkload).some((each) => holds(each, 'Admitted'));
  const { podSetOf } = queueing.jobs ?? {};
  if (podSetOf === undefined || !isSuspended || !hasStarted || !isDue) return [];
  const now = { fieldSelector: `metadata.namespace=${namespace}` };
  const jobs = await reader.listByOwner(resources.Job, { namespace, uid }, now);
  return jobs
    .filter((job) => asObservedJob(job).suspend && !isFinishedJob(asObservedJob(job)))
    .map((job) => suspendedJob(job, podSetOf(object, job.metadata.labels ?? {})))
    .sort((left, right) => compareTexts(left.name, right.name));
}

function suspendedJob({ metadata, spec }: KubeObject, podSet: string | undefined): SuspendedJob {
  const { name, uid, resourceVersion } = metadata;
  const pod = fieldOf(spec as Json | undefined, 'template', 'spec');
  return {
    ...{ name, uid, resourceVersion },
    ...(podSet === undefined ? {} : { podSet }),
    ...placeIn(pod),
    own: placeIn(parsedObject(metadata.annotations?.[annotations.placed]) ?? pod),
  };
}

function placeIn(pod: Json | undefined): SuspendedJob['own'] {
  const nodeSelector = fieldOf(pod, 'nodeSelector') ?? null;
  const tolerations = fieldOf(pod, 'tolerations') ?? null;
  return {
    ...(isObject(nodeSelector) ? { nodeSelector: nodeSelector as Record<string, string> } : {}),
    ...(isList(tolerations) ? { tolerations } : {}),
  };
}
