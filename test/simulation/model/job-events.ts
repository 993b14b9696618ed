/** What the Events of a Job tell of its missing Pods, and when they are to be read. */
import { resources } from '#shared/domain/resources.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import type { ObjectStore } from '#sandbox';
import { jobParts } from './job-fate.ts';
import { type EventsOfJobs, msOf } from './look.ts';

/** Who tells of Pods that could not be created. */
export const jobController = 'job-controller';

interface Event {
  readonly reason: string;
  readonly lastTimestamp: string;
  readonly involvedObject: { readonly uid: string };
}

const fieldsOf = (event: KubeObject): Event => event as unknown as Event;

/** First after ten seconds, then after twice the time each, from five minutes on after five more, milliseconds. */
const firstMs = 10_000;
const slowestMs = 300_000;
/** So much later they are read as well, milliseconds. */
const latenessMs = 5_000;
/** For one decision at most. */
export const mostAsked = 5;

/** The times to read that have come, and the next one, milliseconds since the start of the Job. */
function timesUntil(sinceMs: number): readonly number[] {
  const times = [firstMs];
  while (times.at(-1)! <= sinceMs) times.push(times.at(-1)! + Math.min(times.at(-1)!, slowestMs));
  return times;
}

export function nextAskedMs(job: KubeObject, atMs: number): number {
  const startMs = msOf(jobParts(job).status.startTime);
  return startMs + timesUntil(atMs - startMs).at(-1)!;
}

/** Once something is on record, only at the times that are meant for it. */
export function isToBeAsked(job: KubeObject, said: string | undefined, atMs: number): boolean {
  const startMs = msOf(jobParts(job).status.startTime);
  const lastMs = timesUntil(atMs - startMs).at(-2);
  if (lastMs === undefined) return false;
  return !isMissingPod(said) || atMs - startMs - lastMs <= latenessMs;
}

export function isMissingPod(said: string | undefined): said is string {
  return said === 'NoPod' || said === 'FailedCreate';
}

/** Whether the last word of its Events on this start of it is that no Pod could be made. */
export function isRefused(job: KubeObject, events: readonly KubeObject[]): boolean {
  const startMs = msOf(jobParts(job).status.startTime);
  return events
    .map(fieldsOf)
    .some(
      ({ reason, lastTimestamp }) => reason === 'FailedCreate' && msOf(lastTimestamp) >= startMs,
    );
}

export function eventsIn(store: ObjectStore, uid: string): readonly KubeObject[] {
  return store.list(resources.Event).filter((event) => fieldsOf(event).involvedObject.uid === uid);
}

/** As if each of these had been asked about. */
export function allEvents(store: ObjectStore, jobs: Iterable<KubeObject>): EventsOfJobs {
  return new Map([...jobs].map(({ metadata: { uid } }) => [uid, eventsIn(store, uid)]));
}
