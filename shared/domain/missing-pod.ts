/**
 * Why a Job has no Pod, in the words of its own Events: the Job controller writes one for each Pod that it could not
 * create (FailedCreate), with what the API server said, and one for each that it created.
 *
 * Events are read by a request of their own, so they are read at certain times only: before anything is said of a
 * missing Pod, then after twice the time, and so on, at the latest every five minutes.
 */
import { compareTexts } from './compare-texts.ts';
import { isObject, textOf } from './json-value.ts';
import type { KubeObject } from './objects.ts';
import type { ObservedJob, ToldByEvents } from './observed-job.ts';
import { printable } from './printable.ts';
import { parseTime } from './time.ts';
import { shortened } from './wording.ts';

/** The Job controller creates Pods at once, or is refused, milliseconds. */
const firstPodGraceMs = 10_000;
/** Longest time between two reads, milliseconds. */
const slowestMs = 300_000;
/** A look that is due may come this much later and still read, milliseconds. */
const latenessMs = 5_000;
/** Longest text that is kept of an Event, in characters. The API allows 1,024 bytes. */
const maxWords = 1_024;

/** Reasons of what is said of a missing Pod. */
export const noPod = 'NoPod';
export const failedCreate = 'FailedCreate';

/** From when on a Job has been without a Pod for too long, milliseconds since the epoch. Undefined: it is not. */
export function withoutPodMs(job: ObservedJob): number | undefined {
  const { pods, startTime } = job;
  const startMs = parseTime(startTime);
  if (pods === undefined || startMs === undefined) return undefined;
  const { active, failed, failure, trouble } = pods;
  // After a failure the Job controller waits before it makes the next Pod, also after one that does not count.
  if (active > 0 || failed > 0 || failure !== undefined || trouble !== undefined) return undefined;
  return startMs + firstPodGraceMs;
}

/** Whether the Events of this Job are to be read now; `said`: the reason on record of it. */
export function readsEvents(job: ObservedJob, said: string | undefined, nowMs: number): boolean {
  const dueMs = withoutPodMs(job);
  if (dueMs === undefined || dueMs > nowMs || job.startsNoPod === true) return false;
  return !isMissingPod(said) || isTimeToRead(dueMs, nowMs);
}

/** Whether this reason on record tells that a Job has no Pod. */
export function isMissingPod(reason: string | undefined): reason is string {
  return reason === noPod || reason === failedCreate;
}

/** A time to read has come, or passed a moment ago. Milliseconds since the epoch. */
export function isTimeToRead(dueMs: number, nowMs: number): boolean {
  const sinceMs = nowMs - dueMs + firstPodGraceMs;
  return nowMs >= dueMs && sinceMs - lastReadMs(sinceMs) <= latenessMs;
}

/** When the Events are to be read next, milliseconds since the epoch. */
export function nextReadMs(dueMs: number, nowMs: number): number {
  const beginMs = dueMs - firstPodGraceMs;
  const lastMs = lastReadMs(nowMs - beginMs);
  return beginMs + lastMs + Math.min(lastMs, slowestMs);
}

/** The last time to read that has passed, milliseconds since the start of the Job. */
function lastReadMs(sinceMs: number): number {
  let lastMs = firstPodGraceMs;
  while (lastMs < slowestMs && 2 * lastMs <= sinceMs) lastMs *= 2;
  return lastMs < slowestMs
    ? lastMs
    : lastMs + slowestMs * Math.floor((sinceMs - lastMs) / slowestMs);
}

/** What the last of these Events says that is about a Pod of this start of the Job. */
export function toldByEvents(
  { startTime }: Pick<ObservedJob, 'startTime'>,
  events: readonly KubeObject[],
): ToldByEvents {
  const startMs = parseTime(startTime) ?? 0;
  const [last] = events
    .map(readEvent)
    .filter(({ seenMs, reason }) => seenMs >= startMs && reasons.has(reason))
    .toSorted((left, right) => right.seenMs - left.seenMs || byReason(left, right));
  if (last === undefined) return {};
  if (last.reason !== failedCreate) return { createdOne: true };
  const words = last.message.replace(repeated, '').replace(/^Error creating: /, '');
  return { refusal: shortened(printable(words).trim(), maxWords) };
}

const reasons: ReadonlySet<string> = new Set([failedCreate, 'SuccessfulCreate']);

/** Times of Events have whole seconds: of one second what was refused counts. */
function byReason(left: { readonly reason: string }, right: { readonly reason: string }): number {
  return compareTexts(left.reason, right.reason);
}

/** What client-go puts before the text of Events that are many. */
const repeated = /^\(combined from similar events\): /;

function readEvent(event: KubeObject): {
  readonly seenMs: number;
  readonly reason: string;
  readonly message: string;
} {
  const fields = event as unknown as Readonly<Record<string, unknown>>;
  const { series } = fields;
  const times = [
    isObject(series) ? series['lastObservedTime'] : undefined,
    fields['lastTimestamp'],
    fields['eventTime'],
    event.metadata.creationTimestamp,
  ];
  const [seenMs = 0] = times.flatMap((time) => parseTime(textOf(time)) ?? []);
  return { seenMs, reason: textOf(fields['reason']), message: textOf(fields['message']) };
}

/** A refusal without what differs each time: names of Pods, counts, addresses and times. */
export function essenceOfRefusal(message: string): string {
  return message
    .replace(/\b(pods?) "[^"]*"/gi, '$1')
    .replace(/(?<![\w."'-])\d[\w.:+-]*/g, '#')
    .replace(/\s+/g, ' ');
}
