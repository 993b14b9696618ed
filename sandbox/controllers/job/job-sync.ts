/**
 * The state of one sync: a Job, its Pods and the counts so far. Rule: pkg/controller/job/job_controller.go, syncJob.
 */
import type { Uid } from '#shared/domain/objects.ts';
import {
  completionsOf,
  hasLimitPerIndex,
  isIndexed,
  type Job,
  type JobCondition,
  type JobStatus,
  replacesOnlyFailed,
} from '../objects/job.ts';
import {
  isActive,
  isDeleted,
  isReady,
  isTerminating,
  isTracked,
  type Pod,
} from '../objects/pod.ts';
import type { FailureRecord } from './failure-backoff.ts';
import { type Intervals, parseIntervals, total, withIndexes } from './index-intervals.ts';
import { judgeFailure } from './pod-failure-policy.ts';

/** The end that was decided for a Job. */
export interface Fate {
  readonly type: 'SuccessCriteriaMet' | 'FailureTarget' | 'Failed' | 'Complete';
  readonly reason: string;
  readonly message: string;
}

/** A status that is still being built. */
export interface StatusDraft {
  startTime: string | undefined;
  completionTime: string | undefined;
  conditions: readonly JobCondition[];
  active: number;
  ready: number;
  terminating: number;
  succeeded: number;
  failed: number;
  completedIndexes: string;
  failedIndexes: string | undefined;
  uncountedSucceeded: readonly Uid[];
  uncountedFailed: readonly Uid[];
}

export interface JobSync {
  job: Job;
  readonly nowMs: number;
  /** All Pods that the Job controls, in the order of creation. */
  readonly pods: readonly Pod[];
  readonly activePods: readonly Pod[];
  readonly draft: StatusDraft;
  readonly record: FailureRecord;
  /** Including those of this sync. */
  succeeded: number;
  readonly failed: number;
  active: number;
  ready: number;
  terminating: number;
  readonly previousIndexes: Intervals;
  succeededIndexes: Intervals;
  /** Undefined without backoffLimitPerIndex. */
  readonly failedIndexes: Intervals | undefined;
  /** The failed Pod by index that is kept until its replacement has taken over its failure count. */
  readonly delayed: ReadonlyMap<number, Pod>;
  fate: Fate | undefined;
}

export const completionIndexAnnotation = 'batch.kubernetes.io/job-completion-index';

/** Undefined if the Pod has no index, or one that its Job no longer has. */
export function indexOf(pod: Pod, job: Job): number | undefined {
  const text = pod.metadata.annotations?.[completionIndexAnnotation] ?? '';
  if (!/^\d+$/.test(text)) return undefined;
  return Number(text) < (completionsOf(job) ?? 0) ? Number(text) : undefined;
}

/** A Pod in deletion counts as failed, unless Pods are replaced only after their end. */
export function isFailed(pod: Pod, job: Job): boolean {
  if (pod.status?.phase === 'Failed') return true;
  return !replacesOnlyFailed(job) && isDeleted(pod) && pod.status?.phase !== 'Succeeded';
}

/** Tracked, not in the status yet, and for an Indexed Job with a valid index. */
export function uncountedPods(job: Job, pods: readonly Pod[], counted: readonly Uid[]): Pod[] {
  return pods.filter(
    (pod) =>
      isTracked(pod) &&
      !counted.includes(pod.metadata.uid) &&
      (!isIndexed(job) || indexOf(pod, job) !== undefined),
  );
}

export function countsAsFailure(job: Job, pod: Pod): boolean {
  return judgeFailure(job.spec.podFailurePolicy, pod).counts;
}

export function draftOf(status: JobStatus = {}): StatusDraft {
  return {
    startTime: status.startTime,
    completionTime: status.completionTime,
    conditions: status.conditions ?? [],
    active: status.active ?? 0,
    ready: status.ready ?? 0,
    terminating: status.terminating ?? 0,
    succeeded: status.succeeded ?? 0,
    failed: status.failed ?? 0,
    completedIndexes: status.completedIndexes ?? '',
    failedIndexes: status.failedIndexes,
    uncountedSucceeded: status.uncountedTerminatedPods?.succeeded ?? [],
    uncountedFailed: status.uncountedTerminatedPods?.failed ?? [],
  };
}

/** The form that the API server stores, without zero counters and empty lists where Go omits them. */
export function statusOf(draft: StatusDraft): JobStatus {
  const { uncountedSucceeded, uncountedFailed } = draft;
  return {
    ...(draft.conditions.length > 0 && { conditions: draft.conditions }),
    ...(draft.startTime !== undefined && { startTime: draft.startTime }),
    ...(draft.completionTime !== undefined && { completionTime: draft.completionTime }),
    ...(draft.active > 0 && { active: draft.active }),
    ...(draft.succeeded > 0 && { succeeded: draft.succeeded }),
    ...(draft.failed > 0 && { failed: draft.failed }),
    ...(draft.completedIndexes !== '' && { completedIndexes: draft.completedIndexes }),
    ...(draft.failedIndexes !== undefined && { failedIndexes: draft.failedIndexes }),
    uncountedTerminatedPods: {
      ...(uncountedSucceeded.length > 0 && { succeeded: uncountedSucceeded }),
      ...(uncountedFailed.length > 0 && { failed: uncountedFailed }),
    },
    ready: draft.ready,
    terminating: draft.terminating,
  };
}

export function succeededIndexesOf(job: Job, pods: readonly Pod[], previous: Intervals): Intervals {
  const fresh = pods
    .filter((pod) => pod.status?.phase === 'Succeeded' && isTracked(pod))
    .map((pod) => indexOf(pod, job))
    .filter((index) => index !== undefined);
  return withIndexes(previous, fresh);
}

export function previousIndexesOf(job: Job): Intervals {
  return isIndexed(job)
    ? parseIntervals(job.status?.completedIndexes, completionsOf(job) ?? 0)
    : [];
}

/** The state at the beginning of a sync. `newlyEnded`: succeeded and failed Pods that are not counted yet. */
export function lookAt(
  job: Job,
  pods: readonly Pod[],
  newlyEnded: { readonly succeeded: readonly Pod[]; readonly failed: readonly Pod[] },
  record: FailureRecord,
  indexes: Pick<JobSync, 'failedIndexes' | 'delayed'>,
  nowMs: number,
): JobSync {
  const draft = draftOf(job.status);
  const activePods = pods.filter(isActive);
  const previousIndexes = previousIndexesOf(job);
  const succeededIndexes = isIndexed(job) ? succeededIndexesOf(job, pods, previousIndexes) : [];
  const failures = newlyEnded.failed.filter((pod) => countsAsFailure(job, pod));
  return {
    job,
    nowMs,
    pods,
    activePods,
    draft,
    record,
    succeeded: isIndexed(job)
      ? total(succeededIndexes)
      : draft.succeeded + newlyEnded.succeeded.length + draft.uncountedSucceeded.length,
    failed: draft.failed + failures.length + draft.uncountedFailed.length,
    active: activePods.length,
    ready: activePods.filter(isReady).length,
    terminating: pods.filter(isTerminating).length,
    previousIndexes,
    succeededIndexes,
    ...(hasLimitPerIndex(job) ? indexes : { failedIndexes: undefined, delayed: new Map() }),
    fate: undefined,
  };
}
