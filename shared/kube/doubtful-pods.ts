/** The Pods of those Jobs of which they may have something to tell, and the Events of a Job that has none. */
import { hasCode } from '#shared/domain/errors.ts';
import { readsEvents, toldByEvents } from '#shared/domain/missing-pod.ts';
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

/** The Jobs of one owner that are asked about. */
export interface Doubts {
  readonly owner: ObjectMeta;
  /** Those whose Pods are to be read. */
  readonly doubtful: ReadonlySet<Uid>;
  /** The reason on record of why one of them does not run. */
  readonly saidOf: (job: ObservedJob) => string | undefined;
  /** Absent: no time is known, and no Events are read. */
  readonly nowMs: number | undefined;
}

/** Events of so many Jobs are read for one decision: each read makes the API server look at those of a namespace. */
const mostAsked = 5;

/** The Jobs, those in doubt with their Pods. Where none is in doubt, nothing is read. */
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
  const told = await eventsOf(doubts, looked, reader);
  if (told.size === 0) return looked;
  return looked.map((job) => {
    const events = told.get(job.uid);
    if (events === undefined || job.pods === undefined) return job;
    return { ...job, pods: { ...job.pods, events: toldByEvents(job, events) } };
  });
}

/** Of Jobs without a Pod, first of those of which nothing is reported yet. None are told where nobody can be asked. */
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

/** Undefined when we may not ask: that costs the explanation and nothing else. */
async function permitted<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (hasCode(error, 'MR_API_FORBIDDEN')) return undefined;
    throw error;
  }
}
