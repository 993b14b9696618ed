/** The only reads of kueue-workload-sync: what the next step needs, and no more. */
import { isFinishedJob } from '#shared/domain/child-state.ts';
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { hasCode } from '#shared/domain/errors.ts';
import { isControlledBy, type KubeObject, type ObjectKey } from '#shared/domain/objects.ts';
import { asObservedJob } from '#shared/domain/observed-job.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { templatesOf } from './observe/templates.ts';
import { flavorsOf } from './observe/flavors.ts';
import { priorityOf } from './observe/priority.ts';
import { suspendedJobs } from './observe/suspended-jobs.ts';
import type { QueueSnapshot } from './snapshot.ts';
import { isQueued } from './subscription/unfinished.ts';
import { asWorkload } from './workload.ts';
import { workloadName } from './workload-name.ts';

const { JobFlow, Job, Workload } = resources;

/** Undefined: it is gone with its Workloads, or another one has its name. */
export async function observe(key: ObjectKey, reader: Reader): Promise<QueueSnapshot | undefined> {
  const found = await reader.get(JobFlow, key);
  const job = found?.metadata.uid === key.uid ? found : undefined;
  // Woken for one in no queue, it asks for nothing else.
  const workloads = job === undefined || isQueued(job) ? await workloadsOf(key, reader) : [];
  if (job === undefined && (workloads === undefined || workloads.length === 0)) return undefined;
  const { group, kind } = JobFlow;
  const { name, uid } = key;
  return {
    key,
    ...(job === undefined ? {} : { job }),
    ...(workloads === undefined ? { lacksKueue: true } : {}),
    workloadName: workloadName({ group, kind, name, uid }),
    workloads: workloads ?? [],
    ...(await circumstancesOf(key, job, workloads ?? [], reader)),
    rejections: [],
  };
}

type Circumstances = Pick<
  QueueSnapshot,
  'templates' | 'flavors' | 'priority' | 'suspendedJobs' | 'jobsLeft'
>;

async function circumstancesOf(
  key: ObjectKey,
  job: KubeObject | undefined,
  workloads: readonly KubeObject[],
  reader: Reader,
): Promise<Circumstances> {
  if (job === undefined) return { templates: {}, flavors: {} };
  if (job.metadata.deletionTimestamp !== undefined) {
    return { templates: {}, flavors: {}, jobsLeft: await jobsLeft(key, reader) };
  }
  const templates = await templatesOf(job, reader);
  const flavors = await flavorsOf(job, workloads, reader);
  const suspended = await suspendedJobs(key, job, workloads, reader);
  // Of a Workload that is there its priority is Kueue's to keep up.
  const isNeeded = workloads.every((each) => asWorkload(each).status?.admission === undefined);
  const priority = isNeeded ? await priorityOf(job, templates, reader) : undefined;
  return {
    ...{ templates, flavors },
    ...(suspended.length === 0 ? {} : { suspendedJobs: suspended }),
    ...(priority === undefined ? {} : { priority }),
  };
}

/** Undefined: there is no Kueue. */
async function workloadsOf(
  { namespace, uid }: ObjectKey,
  reader: Reader,
): Promise<readonly KubeObject[] | undefined> {
  try {
    const found = await reader.listByOwner(Workload, { namespace, uid });
    return [...found].sort(byAge);
  } catch (error) {
    if (hasCode(error, 'MR_API_NOT_FOUND')) return undefined;
    throw error;
  }
}

async function jobsLeft({ namespace, uid }: ObjectKey, reader: Reader): Promise<number> {
  const jobs = await reader.listByOwner(Job, { namespace, uid });
  return jobs
    .filter(({ metadata }) => isControlledBy(metadata, uid))
    .map(asObservedJob)
    .filter((each) => !each.suspend && !isFinishedJob(each)).length;
}

function byAge({ metadata: left }: KubeObject, { metadata: right }: KubeObject): number {
  return (
    compareTexts(left.creationTimestamp ?? '', right.creationTimestamp ?? '') ||
    compareTexts(left.uid, right.uid)
  );
}
