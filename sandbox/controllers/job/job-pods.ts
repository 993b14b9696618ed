/** Creates missing Pods of a Job and deletes surplus ones (manageJob upstream). */
import type { KubeObject } from '#shared/domain/objects.ts';
import { StatusError } from '../../apimachinery/status-error.ts';
import type { ResourceType } from '../../registry/resource-type.ts';
import type { RecordEvent } from '../events/event-recorder.ts';
import {
  completionsOf,
  hasLimitPerIndex,
  isIndexed,
  isSuspended,
  type Job,
  parallelismOf,
  replacesOnlyFailed,
} from '../objects/job.ts';
import {
  finishedAtMs,
  isReady,
  isTerminating,
  isTracked,
  type Pod,
  trackingFinalizer,
} from '../objects/pod.ts';
import type { Writes } from '../writes.ts';
import { replacedFrom } from './failure-backoff.ts';
import { failuresOf } from './index-failures.ts';
import { lowestFree, union, withIndexes } from './index-intervals.ts';
import { indexOf, type JobSync } from './job-sync.ts';
import { newPod } from './new-pod.ts';
import { lessWorthy } from './pod-order.ts';

export interface PodEffects {
  readonly writes: Writes;
  readonly pods: ResourceType;
  readonly record: RecordEvent;
}

/**
 * Returns the time of the next look. `failure`: of a create. It is reported by an Event, and thrown after the status is
 * written.
 */
export interface Managed {
  readonly lookAgainMs?: number;
  readonly failure?: StatusError;
}

// The limit of the real controller for one sync.
const mostAtOnce = 500;

/** Creates or deletes Pods, and changes the counters of the sync. */
export function managePods(sync: JobSync, effects: PodEffects): Managed {
  const { job } = sync;
  if (isSuspended(job)) {
    deletePods(sync, sync.activePods, effects);
    return {};
  }
  const wanted = wantedPods(sync);
  const surplus = surplusPods(sync, Math.max(0, sync.active - wanted)).slice(0, mostAtOnce);
  if (surplus.length > 0) {
    deletePods(sync, surplus, effects);
    return {};
  }
  const ending = replacesOnlyFailed(job) ? sync.terminating : 0;
  const missing = Math.min(mostAtOnce, wanted - ending - sync.active);
  return missing > 0 ? createPods(sync, missing, effects) : {};
}

/** For a Job that ends: deletes its active Pods. They keep their finalizer until they are counted. */
export function deleteActivePods(sync: JobSync, effects: PodEffects): void {
  for (const pod of sync.activePods) deletePod(sync, pod, effects);
}

function wantedPods({ job, succeeded, active }: JobSync): number {
  const parallelism = parallelismOf(job);
  const completions = completionsOf(job);
  if (completions === undefined) return succeeded > 0 ? active : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded));
}

function surplusPods({ job, activePods }: JobSync, atLeast: number): readonly Pod[] {
  const { surplus, left } = isIndexed(job)
    ? withoutDuplicates(job, activePods)
    : { surplus: [], left: activePods };
  if (surplus.length >= atLeast) return surplus;
  return [...surplus, ...left.toSorted(lessWorthy).slice(0, atLeast - surplus.length)];
}

/** Keeps one Pod per index, and none with an index that the Job does not have. */
function withoutDuplicates(job: Job, pods: readonly Pod[]) {
  const surplus: Pod[] = [];
  const byIndex = new Map<number, Pod[]>();
  for (const pod of pods) {
    const index = indexOf(pod, job);
    if (index === undefined) surplus.push(pod);
    else byIndex.set(index, [...(byIndex.get(index) ?? []), pod]);
  }
  const left: Pod[] = [];
  for (const same of byIndex.values()) {
    const ordered = same.toSorted(lessWorthy);
    surplus.push(...ordered.slice(0, -1));
    left.push(...ordered.slice(-1));
  }
  return { surplus, left };
}

/** Removes the finalizer first, so that the Pods do not count as failed. */
function deletePods(sync: JobSync, pods: readonly Pod[], effects: PodEffects): void {
  for (const pod of pods) {
    if (isTracked(pod)) effects.writes.removeFinalizer(effects.pods, pod, trackingFinalizer);
    deletePod(sync, pod, effects);
  }
}

function deletePod(sync: JobSync, pod: Pod, { writes, pods, record }: PodEffects): void {
  writes.delete(pods, pod);
  const message = `Deleted pod: ${pod.metadata.name}`;
  record(sync.job, { type: 'Normal', reason: 'SuccessfulDelete', message });
  sync.active -= 1;
  sync.terminating += 1;
  if (isReady(pod)) sync.ready -= 1;
}

function createPods(sync: JobSync, missing: number, effects: PodEffects): Managed {
  const { indexes, lookAgainMs } = isIndexed(sync.job)
    ? indexesToCreate(sync, missing)
    : { indexes: Array.from({ length: missing }, () => undefined), lookAgainMs: undefined };
  const later = hasLimitPerIndex(sync.job) ? lookAgainMs : replacedFrom(sync.record, sync.nowMs);
  if (later !== undefined) return { lookAgainMs: later };
  for (const index of indexes) {
    const failure = createPod(sync, index, effects);
    if (failure !== undefined) return isNamespaceEnding(failure) ? {} : { failure };
  }
  return {};
}

/** The indexes whose back-off is over. If there are none, the time when the first one's ends. */
function indexesToCreate(sync: JobSync, missing: number) {
  const { job, delayed, nowMs } = sync;
  const candidates = lowestFree(takenIndexes(sync), missing, completionsOf(job) ?? 0);
  if (!hasLimitPerIndex(job)) return { indexes: candidates, lookAgainMs: undefined };
  const waits = new Map(candidates.map((index) => [index, waitFor(delayed.get(index), nowMs)]));
  const indexes = candidates.filter((index) => waits.get(index) === undefined);
  if (indexes.length > 0 || candidates.length === 0) return { indexes, lookAgainMs: undefined };
  return { indexes, lookAgainMs: Math.min(...[...waits.values()].map((ms) => ms ?? nowMs)) };
}

function waitFor(replaced: Pod | undefined, nowMs: number): number | undefined {
  if (replaced === undefined) return undefined;
  const lastFailureMs = finishedAtMs(replaced);
  return replacedFrom({ failuresSinceSuccess: failuresOf(replaced) + 1, lastFailureMs }, nowMs);
}

function takenIndexes({ job, pods, activePods, succeededIndexes, failedIndexes }: JobSync) {
  const holding = replacesOnlyFailed(job)
    ? [...activePods, ...pods.filter(isTerminating)]
    : activePods;
  const held = holding.map((pod) => indexOf(pod, job)).filter((index) => index !== undefined);
  return union(withIndexes(succeededIndexes, held), failedIndexes ?? []);
}

function createPod(
  sync: JobSync,
  index: number | undefined,
  { writes, pods, record }: PodEffects,
): StatusError | undefined {
  const { job } = sync;
  const replaced = index === undefined ? undefined : sync.delayed.get(index);
  let created: KubeObject;
  try {
    created = writes.create(pods, job.metadata.namespace ?? '', newPod(job, index, replaced));
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const message = `Error creating: ${error.message}`;
    record(job, { type: 'Warning', reason: 'FailedCreate', message });
    return error;
  }
  sync.active += 1;
  const message = `Created pod: ${created.metadata.name}`;
  record(job, { type: 'Normal', reason: 'SuccessfulCreate', message });
  return undefined;
}

function isNamespaceEnding({ details }: StatusError): boolean {
  return details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') === true;
}
