/**
 * Why a Job that exists does not run: no node takes its Pod, its image cannot be pulled, what it
 * mounts is missing, or its Pods are not even created.
 */
import { creating, essenceOf, lingering, type PodTrouble } from './pod-trouble.ts';
import { parseTime } from './time.ts';
import type { ObservedJob, ObservedPods } from './observed-job.ts';
import { shownBy, withCommand } from './next-command.ts';

/** Where and when it is asked. */
export interface Place {
  readonly namespace: string;
  readonly nowMs: number;
}

/** What is on record of the Job. */
type Said = { readonly reason?: string; readonly message?: string };

export interface HoldUp {
  readonly reason: string;
  readonly message: string;
}

/** A scheduler often finds room at its second attempt, milliseconds. */
const schedulingGraceMs = 3_000;
/** Volumes are attached and images pulled in less, milliseconds. */
const creatingGraceMs = 60_000;
/** Containers of one Pod seldom end together, milliseconds. */
const lingeringGraceMs = 60_000;
/** The Job controller creates Pods at once, or is refused, milliseconds. */
const firstPodGraceMs = 10_000;

/** What holds the Job up by now. */
export function holdUpOf(place: Place, record: Said, job: ObservedJob): HoldUp | undefined {
  const { pods } = job;
  if (pods === undefined) return undefined;
  const { dueMs, describe } = problemOf(place, job, pods) ?? {};
  if (dueMs === undefined || dueMs > place.nowMs) return undefined;
  const holdUp = describe?.();
  return holdUp !== undefined && isSame(record, holdUp) ? keptFrom(record, holdUp) : holdUp;
}

/** When a problem that may still pass is to be told, milliseconds since the epoch. */
export function holdUpDueMs(place: Place, job: ObservedJob): number | undefined {
  const dueMs = job.pods === undefined ? undefined : problemOf(place, job, job.pods)?.dueMs;
  return dueMs !== undefined && dueMs > place.nowMs ? dueMs : undefined;
}

interface Problem {
  readonly dueMs: number;
  readonly describe: () => HoldUp;
}

function problemOf(
  place: Place,
  job: ObservedJob,
  { trouble, active, failed, failure }: ObservedPods,
): Problem | undefined {
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
  const startMs = parseTime(job.startTime);
  // After a failure the Job controller waits before it makes the next Pod, also after one that does not count.
  if (active > 0 || failed > 0 || failure !== undefined || startMs === undefined) return undefined;
  return {
    dueMs: startMs + firstPodGraceMs,
    describe: () => ({
      reason: 'NoPod',
      message: withCommand(
        job.startsNoPod === true
          ? 'spec.parallelism of the Job is 0, so it starts no Pod'
          : 'the Job has no Pod, and the reason is not known yet: see the Events of the Job',
        shownBy(place.namespace, 'job', job.name),
      ),
    }),
  };
}

function graceMs({ reason }: PodTrouble): number {
  if (reason === creating) return creatingGraceMs;
  if (reason === lingering) return lingeringGraceMs;
  return reason === 'Unschedulable' ? schedulingGraceMs : 0;
}

/** The same problem in other words (counts, waits) is not worth a write: what was told first stays. */
function isSame(record: Said, holdUp: HoldUp): boolean {
  const { reason, message } = record;
  if (reason !== holdUp.reason || message === undefined) return false;
  if (!message.endsWith(commandIn(holdUp.message))) return false;
  return essenceOf({ reason, message }) === essenceOf(holdUp);
}

function commandIn(message: string): string {
  return message.slice(message.lastIndexOf('; kubectl '));
}

function keptFrom({ message }: Said, holdUp: HoldUp): HoldUp {
  return { ...holdUp, message: message ?? holdUp.message };
}
