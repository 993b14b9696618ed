/** The reports of a Job's Events about its missing Pods, and the time at which they are to be read. */
import { resources } from '#shared/domain/resources.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import type { ObjectStore } from '#sandbox';
import { jobParts } from './job-fate.ts';
import { type EventsOfJobs, msOf } from './look.ts';

/** The reporter of Pods that could not be created. */
export const jobController = 'job-controller';

interface Event {
  readonly reason: string;
  readonly lastTimestamp: string;
  readonly involvedObject: { readonly uid: string };
}

const fieldsOf = (event: KubeObject): Event => event as unknown as Event;

/**
 * First after ten seconds, then after twice the time each, and from five minutes on every five minutes.
 * Milliseconds.
 */
const firstMs = 10_000;
const slowestMs = 300_000;
/** A read may still happen this much later, in milliseconds. */
const latenessMs = 5_000;
/** Most Jobs for one decision. */
export const mostAsked = 5;

/** The past times to read and the next one, in milliseconds since the start of the Job. */
function timesUntil(sinceMs: number): readonly number[] {
  const times = [firstMs];
  while (times.at(-1)! <= sinceMs) times.push(times.at(-1)! + Math.min(times.at(-1)!, slowestMs));
  return times;
}

export function nextAskedMs(job: KubeObject, atMs: number): number {
  const startMs = msOf(jobParts(job).status.startTime);
  return startMs + timesUntil(atMs - startMs).at(-1)!;
}

/** After a record, only at the planned times. */
export function isToBeAsked(job: KubeObject, said: string | undefined, atMs: number): boolean {
  const startMs = msOf(jobParts(job).status.startTime);
  const lastMs = timesUntil(atMs - startMs).at(-2);
  if (lastMs === undefined) return false;
  return !isMissingPod(said) || atMs - startMs - lastMs <= latenessMs;
}

export function isMissingPod(said: string | undefined): said is string {
  return said === 'NoPod' || said === 'FailedCreate';
}

/** Whether the last Event about this start of the Job says that no Pod could be created. */
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

/** As if every one of these had been asked about. */
export function allEvents(store: ObjectStore, jobs: Iterable<KubeObject>): EventsOfJobs {
  return new Map([...jobs].map(({ metadata: { uid } }) => [uid, eventsIn(store, uid)]));
}
