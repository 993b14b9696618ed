/**
 * Why a Job that exists does not run. No node fits its Pod, its image cannot be pulled, a volume is missing, or its
 * Pods are not created.
 */
import { childState } from './child-state.ts';
import {
  essenceOfRefusal,
  failedCreate,
  isMissingPod,
  isTimeToRead,
  nextReadMs,
  noPod,
  withoutPodMs,
} from './missing-pod.ts';
import { essenceOf, lingering, passedByEveryPod, type PodTrouble } from './pod-trouble.ts';
import { parseTime } from './time.ts';
import type { ObservedJob, ReportedByEvents } from './observed-job.ts';
import { shownBy, withCommand } from './next-command.ts';

/** Namespace and time of the question. */
export interface Place {
  readonly namespace: string;
  readonly nowMs: number;
}

/** The recorded reason and message of the Job. */
type Said = { readonly reason?: string; readonly message?: string };

export interface HoldUp {
  readonly reason: string;
  readonly message: string;
}

/** A scheduler often finds a node at its second attempt. Milliseconds. */
const schedulingGraceMs = 3_000;
/** Scheduling, attaching volumes and pulling images normally take less. Milliseconds. */
const creatingGraceMs = 60_000;
/** Containers of one Pod seldom end at the same time. Milliseconds. */
const lingeringGraceMs = 60_000;
/** Stopped Pods are normally gone sooner. Milliseconds. */
const endingGraceMs = 60_000;
/** A working Job controller starts a Job at once. Milliseconds. */
const startGraceMs = 60_000;

/** Reason of a Job that no controller has touched. */
export const jobNotStarted = 'JobNotStarted';

/**
 * Returns what has held the Job up for long enough to be reported. What is on record stays, because a replica whose
 * clock is behind must not take back what another one has reported.
 */
export function holdUpOf(place: Place, record: Said, job: ObservedJob): HoldUp | undefined {
  const { dueMs, describe } = problemOf(place, job) ?? {};
  const holdUp = describe?.(record);
  if (dueMs === undefined || holdUp === undefined) return undefined;
  if (isSame(record, holdUp)) return keptFrom(record, holdUp);
  return dueMs > place.nowMs ? undefined : holdUp;
}

/** When a possibly passing problem is to be reported or checked again, in milliseconds since the epoch. */
export function holdUpDueMs(place: Place, job: ObservedJob): number | undefined {
  const { dueMs, againMs } = problemOf(place, job) ?? {};
  return dueMs !== undefined && dueMs > place.nowMs ? dueMs : againMs;
}

interface Problem {
  readonly dueMs: number;
  /** When to check again. Absent: a watch event reports the change. */
  readonly againMs?: number;
  readonly describe: (record: Said) => HoldUp | undefined;
}

function problemOf(place: Place, job: ObservedJob): Problem | undefined {
  const outside = endingOf(place, job) ?? notStarted(place, job);
  if (outside !== undefined) return outside;
  const trouble = job.pods?.trouble;
  if (trouble !== undefined) {
    const { pod, reason, message } = trouble;
    return {
      dueMs: (parseTime(trouble.since) ?? 0) + graceMs(trouble),
      describe: () => ({
        reason,
        message: withCommand(`Pod ${pod}: ${message}`, shownBy(place.namespace, 'pod', pod)),
      }),
    };
  }
  return withoutPod(place, job);
}

/** The Job's Events give the cause. A snapshot from a moment before they were due lacks them, so look once more. */
function withoutPod({ namespace, nowMs }: Place, job: ObservedJob): Problem | undefined {
  const dueMs = withoutPodMs(job);
  if (dueMs === undefined) return undefined;
  const command = shownBy(namespace, 'job', job.name);
  const holdUp = (reason: string, text: string): HoldUp => ({
    reason,
    message: withCommand(text, command),
  });
  if (job.startsNoPod === true) {
    const text = 'spec.parallelism of the Job is 0, so it starts no Pod';
    return { dueMs, describe: () => holdUp(noPod, text) };
  }
  const events = job.pods?.events;
  if (events !== undefined) {
    return {
      dueMs,
      againMs: nextReadMs(dueMs, nowMs),
      describe: (record) =>
        (isSilent(events) ? onRecord(record) : undefined) ??
        holdUp(...missingPod(events, job.pods?.leaving)),
    };
  }
  const againMs = isTimeToRead(dueMs, nowMs) ? nowMs + 1 : nextReadMs(dueMs, nowMs);
  return { dueMs, againMs, describe: onRecord };
}

/** Events expire, and those of some Jobs are not read. The cause that is known stays. */
function isSilent({ refusal, createdOne }: ReportedByEvents): boolean {
  return refusal === undefined && createdOne !== true;
}

/** The recorded hold-up about the missing Pod. */
function onRecord({ reason, message }: Said): HoldUp | undefined {
  return message !== undefined && isMissingPod(reason) ? { reason, message } : undefined;
}

/** The Job is being deleted, and something keeps it or its Pods. */
function endingOf({ namespace }: Place, job: ObservedJob): Problem | undefined {
  const state = childState(job);
  if (state.kind !== 'running' || state.reason === undefined) return undefined;
  const { reason, message = '' } = state;
  const condition = job.conditions.find(({ type }) => type === reason);
  const sinceMs = parseTime(job.deletionTimestamp ?? condition?.lastTransitionTime);
  if (sinceMs === undefined) return undefined;
  const text = withCommand(
    `${message}, for more than a minute`,
    shownBy(namespace, 'job', job.name),
  );
  return { dueMs: sinceMs + endingGraceMs, describe: () => ({ reason, message: text }) };
}

/**
 * Any condition would be a trace of a controller. Then something else holds the Job, such as an earlier suspension.
 */
function notStarted({ namespace }: Place, job: ObservedJob): Problem | undefined {
  const { name, startTime, suspend, deletionTimestamp, conditions, managedBy } = job;
  const createdMs = parseTime(job.creationTimestamp);
  const isUntouched = startTime === undefined && conditions.length === 0;
  if (!isUntouched || suspend || deletionTimestamp !== undefined || createdMs === undefined) {
    return undefined;
  }
  const text =
    managedBy === undefined
      ? 'the Job controller has not started the Job for more than a minute: check that kube-controller-manager runs'
      : `${managedBy} (spec.managedBy) has not started the Job for more than a minute: check that this controller runs`;
  const message = withCommand(text, shownBy(namespace, 'job', name));
  const describe = () => ({ reason: jobNotStarted, message });
  return { dueMs: createdMs + startGraceMs, describe };
}

/** Reason and text according to the Job's Events. */
function missingPod(
  { refusal, createdOne }: ReportedByEvents,
  leaving: string | undefined,
): readonly [string, string] {
  if (refusal !== undefined) return [failedCreate, `no Pod could be created: ${refusal}`];
  if (leaving !== undefined) {
    const then = 'check that its node is ready and that no finalizer holds it';
    return [
      noPod,
      `the Job continues when Pod ${leaving} is gone, which is being deleted: ${then}`,
    ];
  }
  return [
    noPod,
    createdOne === true
      ? 'the last Pod of the Job is gone, and the next one is not created yet'
      : 'the Job has no Pod, and the reason is not known yet: see the Events of the Job',
  ];
}

function graceMs({ reason }: PodTrouble): number {
  if (passedByEveryPod.has(reason)) return creatingGraceMs;
  if (reason === lingering) return lingeringGraceMs;
  return reason === 'Unschedulable' ? schedulingGraceMs : 0;
}

/** The same problem with other counts or waits is not worth a write: the first text stays. */
function isSame(record: Said, holdUp: HoldUp): boolean {
  const { reason, message } = record;
  if (reason !== holdUp.reason || message === undefined) return false;
  const [before, commandBefore] = parted(message);
  const [after, command] = parted(holdUp.message);
  if (commandBefore !== command) return false;
  switch (reason) {
    case noPod:
      return before === after;
    case failedCreate:
      return isSameStart(essenceOfRefusal(before), essenceOfRefusal(after));
    default:
      return essenceOf({ reason, message }) === essenceOf(holdUp);
  }
}

/** Compares cut texts up to the shorter length, without the word that was cut. */
function isSameStart(left: string, right: string): boolean {
  if (!left.endsWith(cut) && !right.endsWith(cut)) return left === right;
  const whole = (text: string): string =>
    text.endsWith(cut) ? text.slice(0, text.lastIndexOf(' ') + 1) : text;
  const [short = '', long = ''] = [whole(left), whole(right)].toSorted(
    (one, other) => one.length - other.length,
  );
  return long.startsWith(short);
}

/** Ends a text that was too long for a message. */
const cut = '…';

/** Returns the text and the command after it. */
function parted(message: string): readonly [string, string] {
  const at = message.lastIndexOf('; kubectl ');
  return [message.slice(0, at), message.slice(at)];
}

function keptFrom({ message }: Said, holdUp: HoldUp): HoldUp {
  return { ...holdUp, message: message ?? holdUp.message };
}
