/**
 * Counts ended Pods exactly once (KEP-2307, trackJobStatusAndRemoveFinalizers upstream):
 *
 * progress-1 A Pod's uid is in the status before its finalizer is removed.
 * progress-2 After that, a counter replaces the uid.
 * progress-3 The interim condition is in the status before finalizers are removed. The final one
 *    follows when all Pods are counted and none is terminating.
 */
import { rfc3339 } from '#shared/domain/time.ts';
import type { ResourceType } from '../../registry/resource-type.ts';
import type { RecordEvent } from '../events/event-recorder.ts';
import { asJob, completionsOf, isIndexed, jobCondition } from '../objects/job.ts';
import { isTracked, type Pod, trackingFinalizer } from '../objects/pod.ts';
import type { Writes } from '../writes.ts';
import { formatIntervals, includesIndex, total, withIndexes } from './index-intervals.ts';
import { withJobCondition } from './job-conditions.ts';
import { countsAsFailure, indexOf, isFailed, type JobSync, statusOf } from './job-sync.ts';

export interface ProgressEffects {
  readonly writes: Writes;
  readonly jobs: ResourceType;
  readonly pods: ResourceType;
  readonly record: RecordEvent;
  /** Called after the status with the new counts was written. */
  readonly onCounted: () => void;
}

// Keeps the list in the status below some 20 KB. The rest follows in the next sync.
const mostUncounted = 500;

/** `changed`: whether the status already differs. */
export function recordProgress(sync: JobSync, changed: boolean, effects: ProgressEffects): void {
  const tracked = new Set(sync.pods.filter(isTracked).map(({ metadata }) => metadata.uid));
  const cleaned = moveToCounters(sync, tracked);
  const ended = countEndedPods(sync);
  const indexed = recordIndexes(sync, ended.indexes);
  const announced = announceFate(sync);
  if (changed || cleaned || ended.counted || indexed || announced) {
    writeStatus(sync, effects);
    effects.onCounted();
  }
  for (const pod of ended.pods) {
    effects.writes.removeFinalizer(effects.pods, pod, trackingFinalizer);
    tracked.delete(pod.metadata.uid);
  }
  const moved = moveToCounters(sync, tracked);
  const finished = !ended.hasMore && finish(sync);
  if (moved || finished) writeStatus(sync, effects);
  if (finished) tellFinish(sync, effects.record);
}

function writeStatus(sync: JobSync, { writes, jobs }: ProgressEffects): void {
  sync.job = asJob(writes.updateStatus(jobs, sync.job, statusOf(sync.draft)));
}

/** Counts the uids whose Pod is no longer tracked (progress-2). */
function moveToCounters({ draft }: JobSync, tracked: ReadonlySet<string>): boolean {
  const succeeded = draft.uncountedSucceeded.filter((uid) => tracked.has(uid));
  const failed = draft.uncountedFailed.filter((uid) => tracked.has(uid));
  const newSucceeded = draft.uncountedSucceeded.length - succeeded.length;
  const newFailed = draft.uncountedFailed.length - failed.length;
  draft.succeeded += newSucceeded;
  draft.failed += newFailed;
  draft.uncountedSucceeded = succeeded;
  draft.uncountedFailed = failed;
  return newSucceeded + newFailed > 0;
}

/** Adds ended Pods to the uncounted lists. Returns the Pods whose finalizer may be removed. */
function countEndedPods(sync: JobSync) {
  const { draft, job, previousIndexes } = sync;
  const result = {
    pods: [] as Pod[],
    indexes: [] as number[],
    counted: false,
    hasMore: false,
  };
  for (const pod of inIndexOrder(sync)) {
    const failed = isFailed(pod, job);
    if (!isTracked(pod) || !mayRelease(sync, pod, failed)) continue;
    result.pods.push(pod);
    const { uid } = pod.metadata;
    const index = indexOf(pod, job);
    if (pod.status?.phase === 'Succeeded' && !draft.uncountedFailed.includes(uid)) {
      if (isIndexed(job)) {
        if (index === undefined || includesIndex(previousIndexes, index)) continue;
        result.indexes.push(index);
      } else {
        if (draft.uncountedSucceeded.includes(uid)) continue;
        draft.uncountedSucceeded = [...draft.uncountedSucceeded, uid];
      }
      result.counted = true;
    } else if (failed || hasFailedFate(sync)) {
      if (draft.uncountedFailed.includes(uid)) continue;
      if ((isIndexed(job) && index === undefined) || !countsAsFailure(job, pod)) continue;
      draft.uncountedFailed = [...draft.uncountedFailed, uid];
      result.counted = true;
    }
    const uncounted = draft.uncountedSucceeded.length + draft.uncountedFailed.length;
    if (result.indexes.length + uncounted >= mostUncounted) {
      result.hasMore = true;
      break;
    }
  }
  return result;
}

function inIndexOrder({ job, pods }: JobSync): readonly Pod[] {
  if (!isIndexed(job)) return pods;
  return pods.toSorted((a, b) => (indexOf(a, job) ?? -1) - (indexOf(b, job) ?? -1));
}

// When a Job fails, all its unfinished Pods count as failed.
function hasFailedFate({ fate }: JobSync): boolean {
  return fate !== undefined && fate.type !== 'SuccessCriteriaMet';
}

function mayRelease({ job, fate, delayed }: JobSync, pod: Pod, failed: boolean): boolean {
  if (job.metadata.deletionTimestamp !== undefined || fate !== undefined) return true;
  if (pod.status?.phase === 'Succeeded') return true;
  const index = indexOf(pod, job);
  const awaitsReplacement =
    index !== undefined && delayed.get(index)?.metadata.uid === pod.metadata.uid;
  return failed && !awaitsReplacement;
}

function recordIndexes(sync: JobSync, fresh: readonly number[]): boolean {
  const { draft, job, failedIndexes } = sync;
  if (!isIndexed(job)) return false;
  sync.succeededIndexes = withIndexes(sync.succeededIndexes, fresh);
  const completed = formatIntervals(sync.succeededIndexes);
  const failed = failedIndexes && formatIntervals(failedIndexes);
  const changed = completed !== draft.completedIndexes || failed !== draft.failedIndexes;
  draft.succeeded = total(sync.succeededIndexes);
  draft.completedIndexes = completed;
  draft.failedIndexes = failed;
  return changed;
}

/** Sets the interim condition, from which the final one follows (progress-3). */
function announceFate(sync: JobSync): boolean {
  const { fate, draft, nowMs, job } = sync;
  if (fate?.type !== 'SuccessCriteriaMet' && fate?.type !== 'FailureTarget') return false;
  const isNew = jobCondition(job, fate.type)?.status !== 'True';
  draft.conditions = withJobCondition(draft.conditions, { ...fate, status: 'True' }, nowMs);
  sync.fate = { ...fate, type: fate.type === 'FailureTarget' ? 'Failed' : 'Complete' };
  return isNew;
}

function finish({ fate, draft, nowMs, terminating }: JobSync): boolean {
  if (fate === undefined || terminating > 0) return false;
  if (draft.uncountedSucceeded.length + draft.uncountedFailed.length > 0) return false;
  draft.conditions = withJobCondition(draft.conditions, { ...fate, status: 'True' }, nowMs);
  if (fate.type === 'Complete') draft.completionTime = rfc3339(nowMs);
  return true;
}

function tellFinish({ job, fate, draft }: JobSync, record: RecordEvent): void {
  if (fate === undefined) return;
  if (fate.type !== 'Complete') {
    record(job, { type: 'Warning', reason: fate.reason, message: fate.message });
    return;
  }
  if (draft.succeeded > (completionsOf(job) ?? Infinity)) {
    const message = 'Too many succeeded pods running after completion count reached';
    record(job, { type: 'Warning', reason: 'TooManySucceededPods', message });
  }
  record(job, { type: 'Normal', reason: 'Completed', message: 'Job completed' });
}
