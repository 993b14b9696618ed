/** Counts failures per completion index (KEP-3850, pkg/controller/job/indexed_job_utils.go). */
import { completionsOf, hasLimitPerIndex, type Job } from '../objects/job.ts';
import { finishedAtMs, isActive, isTracked, type Pod } from '../objects/pod.ts';
import { includesIndex, type Intervals, parseIntervals, withIndexes } from './index-intervals.ts';
import { indexOf, isFailed } from './job-sync.ts';
import { judgeFailure } from './pod-failure-policy.ts';

const countAnnotation = 'batch.kubernetes.io/job-index-failure-count';
const ignoredAnnotation = 'batch.kubernetes.io/job-index-ignored-failure-count';

export function failedIndexesOf(job: Job, pods: readonly Pod[]): Intervals | undefined {
  if (!hasLimitPerIndex(job)) return undefined;
  const previous = parseIntervals(job.status?.failedIndexes, completionsOf(job) ?? 0);
  const fresh = pods
    .filter((pod) => isTracked(pod) && exhaustsIndex(job, pod))
    .map((pod) => indexOf(pod, job))
    .filter((index) => index !== undefined);
  return withIndexes(previous, fresh);
}

function exhaustsIndex(job: Job, pod: Pod): boolean {
  if (!isFailed(pod, job)) return false;
  const { action, counts } = judgeFailure(job.spec.podFailurePolicy, pod);
  if (action === 'FailIndex') return true;
  return counts && annotated(pod, countAnnotation) >= (job.spec.backoffLimitPerIndex ?? 0);
}

/** The last failed Pod of each index that waits for a replacement. */
export function delayedPods(
  job: Job,
  pods: readonly Pod[],
  succeeded: Intervals,
  failed: Intervals,
): ReadonlyMap<number, Pod> {
  const active = new Set(pods.filter(isActive).map((pod) => indexOf(pod, job)));
  const delayed = new Map<number, Pod>();
  for (const pod of pods) {
    const index = indexOf(pod, job);
    if (index === undefined || !isTracked(pod) || !isFailed(pod, job) || active.has(index))
      continue;
    if (includesIndex(succeeded, index) || includesIndex(failed, index)) continue;
    const other = delayed.get(index);
    if (other === undefined || isLaterFailure(pod, other)) delayed.set(index, pod);
  }
  return delayed;
}

function isLaterFailure(pod: Pod, other: Pod): boolean {
  return failuresOf(pod) >= failuresOf(other) && finishedAtMs(pod) >= finishedAtMs(other);
}

/** Failures of the index before this Pod, including ignored ones. */
export function failuresOf(pod: Pod): number {
  return annotated(pod, countAnnotation) + annotated(pod, ignoredAnnotation);
}

/** Annotations of the Pod that replaces `replaced`. */
export function failureAnnotations(
  job: Job,
  replaced: Pod | undefined,
): Readonly<Record<string, string>> {
  if (!hasLimitPerIndex(job)) return {};
  if (replaced === undefined) return { [countAnnotation]: '0' };
  const { counts } = judgeFailure(job.spec.podFailurePolicy, replaced);
  const counted = annotated(replaced, countAnnotation) + (counts ? 1 : 0);
  const ignored = annotated(replaced, ignoredAnnotation) + (counts ? 0 : 1);
  return {
    [countAnnotation]: String(counted),
    ...(ignored > 0 && { [ignoredAnnotation]: String(ignored) }),
  };
}

function annotated({ metadata }: Pod, annotation: string): number {
  const text = metadata.annotations?.[annotation] ?? '';
  return /^\d+$/.test(text) ? Number(text) : 0;
}
