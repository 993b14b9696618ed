/** The only reads of kueue-workload-sync: only what the next step needs. */
import { type QueuedKind, queuedKindOf } from '#shared/api/work/queued-kinds.ts';
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { hasCode } from '#shared/domain/errors.ts';
import {
  controllerOf,
  type JsonObject,
  type KubeObject,
  type ObjectKey,
} from '#shared/domain/objects.ts';
import { dispatchedWorkload } from '#shared/domain/queue-labels.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { ancestorOf } from './observe/ancestor.ts';
import { flavorsOf } from './observe/flavors.ts';
import { jobsLeft, suspendedJobs } from './observe/jobs.ts';
import { neededBy } from './observe/needed.ts';
import { objectWithUid } from './observe/object-with-uid.ts';
import { priorityOf } from './observe/priority.ts';
import { isOfAnotherClass } from './priority-class.ts';
import { defaultRules, type QueueRules } from './queue-settings.ts';
import type { QueueSnapshot } from './snapshot.ts';
import { mayHaveWorkload } from './subscription/unfinished.ts';
import { asWorkload, jobUidLabel } from './workload.ts';
import { workloadName } from './workload-name.ts';

const { Workload } = resources;

/** Undefined: the job is gone with its Workloads, or a new object has its name. */
export async function observe(
  key: ObjectKey,
  reader: Reader,
  rules: QueueRules = defaultRules,
): Promise<QueueSnapshot | undefined> {
  const kind = queuedKindOf(key);
  const job = await objectWithUid(kind.resource, key, reader);
  const ancestor = job === undefined ? undefined : await ancestorOf(job, reader, rules);
  // A job that its owner has brought here needs no other read.
  const dispatched = dispatchedWorkload(job as JsonObject | undefined);
  const { name, uid } = key;
  const { resource } = kind;
  const ownName = workloadName({ group: resource.group, kind: resource.kind, name, uid });
  const owned =
    job === undefined || mayHaveWorkload(job) ? await workloadsOf(key, reader, dispatched) : [];
  const isGone = job === undefined || job.metadata.deletionTimestamp !== undefined;
  const workloads = isGone && owned?.length === 0 ? await orphaned(key, ownName, reader) : owned;
  if (job === undefined && (workloads === undefined || workloads.length === 0)) return undefined;
  return {
    key,
    ...(job === undefined ? {} : { job }),
    ...(ancestor === undefined ? {} : { ancestor }),
    ...(workloads === undefined ? { lacksKueue: true } : {}),
    workloadName: dispatched ?? ownName,
    ...(dispatched === undefined ? {} : { isDispatched: true }),
    workloads: workloads ?? [],
    ...(await circumstancesOf({ key, kind, job, workloads: workloads ?? [] }, reader)),
    rejections: [],
    ...(rules.awaitsReadiness ? { awaitsReadiness: true as const } : {}),
    ...(rules.placesByTopology ? {} : { ignoresTopology: true as const }),
    ...(rules.keepsDeactivatedMs === undefined
      ? {}
      : { keepsDeactivatedMs: rules.keepsDeactivatedMs }),
  };
}

type Circumstances = Pick<
  QueueSnapshot,
  'needed' | 'flavors' | 'priority' | 'suspendedJobs' | 'jobsLeft'
>;

interface Found {
  readonly key: ObjectKey;
  readonly kind: QueuedKind;
  readonly job: KubeObject | undefined;
  readonly workloads: readonly KubeObject[];
}

async function circumstancesOf(
  { key, kind, job, workloads }: Found,
  reader: Reader,
): Promise<Circumstances> {
  if (job === undefined || job.metadata.deletionTimestamp !== undefined) {
    return { needed: {}, flavors: {}, jobsLeft: await jobsLeft(key, kind, reader) };
  }
  const needed = await neededBy(job, kind, reader);
  const flavors = await flavorsOf(job, workloads, reader);
  const suspended = await suspendedJobs(key, job, kind, workloads, reader);
  // Kueue maintains the priority of an existing Workload, until the job's class changes.
  const isNeeded = workloads
    .map(asWorkload)
    .every((each) => each.status?.admission === undefined || isOfAnotherClass(each, job));
  const { podSets } = kind.queueing;
  const priority = isNeeded ? await priorityOf(job, podSets(job, needed), reader) : undefined;
  return {
    ...{ needed, flavors },
    ...(suspended.length === 0 ? {} : { suspendedJobs: suspended }),
    ...(priority === undefined ? {} : { priority }),
  };
}

/** The Workload of this name, else all that the object controls. Undefined: the cluster has no Kueue. */
async function workloadsOf(
  { namespace, uid }: ObjectKey,
  reader: Reader,
  name?: string,
): Promise<readonly KubeObject[] | undefined> {
  try {
    if (name === undefined) {
      const found = await reader.listByOwner(Workload, { namespace, uid });
      return [...found].sort(byAge);
    }
    const named = await reader.get(Workload, { namespace, name });
    const owner = named && controllerOf(named.metadata);
    return named === undefined || (owner !== undefined && owner.uid !== uid) ? [] : [named];
  } catch (error) {
    if (hasCode(error, 'MR_API_NOT_FOUND')) return undefined;
    throw error;
  }
}

/** The garbage collector takes the owner off if the job is deleted with `--cascade=orphan`. */
async function orphaned(
  { namespace, uid }: ObjectKey,
  name: string,
  reader: Reader,
): Promise<readonly KubeObject[]> {
  const found = await reader.get(Workload, { namespace, name });
  if (found === undefined || controllerOf(found.metadata) !== undefined) return [];
  return found.metadata.labels?.[jobUidLabel] === uid ? [found] : [];
}

function byAge({ metadata: left }: KubeObject, { metadata: right }: KubeObject): number {
  return (
    compareTexts(left.creationTimestamp ?? '', right.creationTimestamp ?? '') ||
    compareTexts(left.uid, right.uid)
  );
}
