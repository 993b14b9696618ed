/**
 * Why a Job has no Pod, according to its Events. The Job controller writes an Event for each Pod that it created.
 * For each one that it could not create it writes FailedCreate, with the API server's message.
 *
 * Reading Events takes a request, so they are read at certain times only. The first time is before a missing Pod is
 * reported. The interval then doubles, up to five minutes.
 */
import { compareTexts } from './compare-texts.ts';
import { isObject, textOf } from './json-value.ts';
import type { KubeObject } from './objects.ts';
import type { ObservedJob, ReportedByEvents } from './observed-job.ts';
import { printable } from './printable.ts';
import { parseTime } from './time.ts';
import { shortened } from './wording.ts';

/** A Job controller creates Pods, or is refused, at once. Milliseconds. */
const firstPodGraceMs = 10_000;
/** Longest time between two reads. Milliseconds. */
const slowestMs = 300_000;
/** A due read still happens if its pass comes this much later. Milliseconds. */
const latenessMs = 5_000;
/** Longest text that is kept from an Event, in characters. The API allows 1,024 bytes. */
const maxWords = 1_024;

/** Reasons for a missing Pod. */
export const noPod = 'NoPod';
export const failedCreate = 'FailedCreate';

/**
 * When a Job without a Pod exceeds the grace, in milliseconds since the epoch. Undefined: it has a Pod or needs
 * none.
 */
export function withoutPodMs(job: ObservedJob): number | undefined {
  const { pods, startTime } = job;
  const startMs = parseTime(startTime);
  if (pods === undefined || startMs === undefined) return undefined;
  const { active, failed, failure, trouble } = pods;
  // After a failure the Job controller waits before the next Pod, even after a failure that does not count.
  if (active > 0 || failed > 0 || failure !== undefined || trouble !== undefined) return undefined;
  return startMs + firstPodGraceMs;
}

/** Whether the Job's Events are to be read now. `said` is the recorded reason. */
export function readsEvents(job: ObservedJob, said: string | undefined, nowMs: number): boolean {
  const dueMs = withoutPodMs(job);
  if (dueMs === undefined || dueMs > nowMs || job.startsNoPod === true) return false;
  return !isMissingPod(said) || isTimeToRead(dueMs, nowMs);
}

/** Whether this recorded reason means that a Job has no Pod. */
export function isMissingPod(reason: string | undefined): reason is string {
  return reason === noPod || reason === failedCreate;
}

/** Whether a time to read has come, or passed a moment ago. Milliseconds since the epoch. */
export function isTimeToRead(dueMs: number, nowMs: number): boolean {
  const sinceMs = nowMs - dueMs + firstPodGraceMs;
  return nowMs >= dueMs && sinceMs - lastReadMs(sinceMs) <= latenessMs;
}

/** When the Events are to be read next, in milliseconds since the epoch. */
export function nextReadMs(dueMs: number, nowMs: number): number {
  const beginMs = dueMs - firstPodGraceMs;
  const lastMs = lastReadMs(nowMs - beginMs);
  return beginMs + lastMs + Math.min(lastMs, slowestMs);
}

/** The latest time to read that has passed, in milliseconds since the start of the Job. */
function lastReadMs(sinceMs: number): number {
  let lastMs = firstPodGraceMs;
  while (lastMs < slowestMs && 2 * lastMs <= sinceMs) lastMs *= 2;
  return lastMs < slowestMs
    ? lastMs
    : lastMs + slowestMs * Math.floor((sinceMs - lastMs) / slowestMs);
}

/** Reads the latest Event about a Pod within this start of the Job. */
export function reportedByEvents(
  { startTime }: Pick<ObservedJob, 'startTime'>,
  events: readonly KubeObject[],
): ReportedByEvents {
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

/** Times of Events have whole seconds. Within one second a refusal wins. */
function byReason(left: { readonly reason: string }, right: { readonly reason: string }): number {
  return compareTexts(left.reason, right.reason);
}

/** The prefix that client-go adds to the text of frequent Events. */
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

/** The refusal without its changing parts: names of Pods, counts, addresses and times. */
export function essenceOfRefusal(message: string): string {
  return message
    .replace(/\b(pods?) "[^"]*"/gi, '$1')
    .replace(/(?<![\w."'-])\d[\w.:+-]*/g, '#')
    .replace(/\s+/g, ' ');
}
