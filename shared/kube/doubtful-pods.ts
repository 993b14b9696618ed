/** Reads the Pods of Jobs that may have problems, and the Events of a Job without Pods. */
import { hasCode } from '#shared/domain/errors.ts';
import { readsEvents, reportedByEvents } from '#shared/domain/missing-pod.ts';
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

/** The Jobs of one owner, with what is to be read about them. */
export interface Doubts {
  readonly owner: ObjectMeta;
  /** The Jobs whose Pods are to be read. */
  readonly doubtful: ReadonlySet<Uid>;
  /** The recorded reason why a Job does not run. */
  readonly saidOf: (job: ObservedJob) => string | undefined;
  /** Absent: the time is unknown, and no Events are read. */
  readonly nowMs: number | undefined;
}

/** Most Jobs whose Events are read for one decision. Each read makes the API server scan those of a namespace. */
const mostAsked = 5;

/** All the Jobs, the doubtful ones with their Pods. Without a doubtful one nothing is read. */
export async function withPodsOf(
  doubts: Doubts,
  jobs: readonly ObservedJob[],
  reader: Reader,
): Promise<readonly ObservedJob[]> {
  const { owner, doubtful } = doubts;
  if (doubtful.size === 0) return jobs;
  const { namespace } = objectName(owner);
  const root = { namespace, uid: owner.uid };
  const pods = await permitted(() => reader.listByOwners(resources.Pod, root, [...doubtful]));
  if (pods === undefined) return jobs;
  const byJob = Map.groupBy(pods, ({ metadata }) => controllerOf(metadata)?.uid);
  const looked = jobs.map((job) =>
    doubtful.has(job.uid)
      ? { ...job, pods: observedPods(jobCounts(job), byJob.get(job.uid) ?? []) }
      : job,
  );
  const eventsOfJobs = await eventsOf(doubts, looked, reader);
  if (eventsOfJobs.size === 0) return looked;
  return looked.map((job) => {
    const events = eventsOfJobs.get(job.uid);
    if (events === undefined || job.pods === undefined) return job;
    return { ...job, pods: { ...job.pods, events: reportedByEvents(job, events) } };
  });
}

/** Events of Jobs without a Pod, first of those without a reported reason. Empty if Events cannot be read. */
async function eventsOf(
  { owner, saidOf, nowMs }: Doubts,
  jobs: readonly ObservedJob[],
  reader: Reader,
): Promise<ReadonlyMap<Uid, readonly KubeObject[]>> {
  const { namespace } = objectName(owner);
  if (nowMs === undefined) return new Map();
  const due = jobs.filter((job) => readsEvents(job, saidOf(job), nowMs));
  const asked = [true, false].flatMap((isFirst) =>
    due.filter((job) => (saidOf(job) === undefined) === isFirst),
  );
  const found = await Promise.all(
    asked.map(async ({ uid }, index) => {
      const about = { namespace, uid };
      const events =
        index < mostAsked ? await permitted(async () => reader.eventsAbout?.(about)) : undefined;
      return [uid, events ?? []] as const;
    }),
  );
  return new Map(found);
}

/** Undefined if the read is forbidden: only the explanation is lost. */
async function permitted<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (hasCode(error, 'MR_API_FORBIDDEN')) return undefined;
    throw error;
  }
}
