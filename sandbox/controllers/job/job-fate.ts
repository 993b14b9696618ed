/** Decides whether and how a Job ends (pkg/controller/job/job_controller.go, syncJob). */
import { parseTime } from '#shared/domain/time.ts';
import {
  backoffLimitOf,
  completionsOf,
  isIndexed,
  isSuspended,
  type Job,
  jobCondition,
} from '../objects/job.ts';
import type { Pod } from '../objects/pod.ts';
import { total } from './index-intervals.ts';
import { type Fate, isFailed, type JobSync } from './job-sync.ts';
import { judgeFailure } from './pod-failure-policy.ts';
import { successPolicyMet } from './success-policy.ts';

/** An earlier decision stays. After it come the failures, and then the success policy. */
export function fateOf(sync: JobSync): Fate | undefined {
  return decidedFate(sync.job) ?? failJobFate(sync) ?? limitFate(sync) ?? indexedFate(sync);
}

/** Enough Pods have succeeded and none is running. */
export function isComplete({ job, succeeded, active }: JobSync): boolean {
  const completions = completionsOf(job);
  if (active > 0) return false;
  return completions === undefined ? succeeded > 0 : succeeded >= completions;
}

export const completionsReached: Fate = {
  type: 'SuccessCriteriaMet',
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
};

/** The end of activeDeadlineSeconds. Undefined: there is none. */
export function deadlineMs(job: Job, startTime: string | undefined): number | undefined {
  const { activeDeadlineSeconds } = job.spec;
  const started = parseTime(startTime);
  if (activeDeadlineSeconds === undefined || started === undefined || isSuspended(job)) {
    return undefined;
  }
  return started + activeDeadlineSeconds * 1000;
}

function decidedFate(job: Job): Fate | undefined {
  const success = jobCondition(job, 'SuccessCriteriaMet');
  if (success?.status === 'True') return { ...success, type: 'SuccessCriteriaMet' };
  const failure = jobCondition(job, 'FailureTarget');
  // The end was announced, so only the final condition is missing.
  return failure?.status === 'True' ? { ...failure, type: 'Failed' } : undefined;
}

function failJobFate({ job, pods }: JobSync): Fate | undefined {
  for (const pod of pods) {
    if (!isFailed(pod, job)) continue;
    const { message } = judgeFailure(job.spec.podFailurePolicy, pod);
    if (message !== undefined) return failure('PodFailurePolicy', message);
  }
  return undefined;
}

function limitFate(sync: JobSync): Fate | undefined {
  const { job, failed, pods, draft, nowMs } = sync;
  if (failed > backoffLimitOf(job) || restartsExceedLimit(job, pods)) {
    return failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  }
  if (nowMs >= (deadlineMs(job, draft.startTime) ?? Infinity)) {
    return failure('DeadlineExceeded', 'Job was active longer than specified deadline');
  }
  return undefined;
}

function indexedFate({ job, failedIndexes, succeededIndexes }: JobSync): Fate | undefined {
  if (!isIndexed(job)) return undefined;
  const completions = completionsOf(job) ?? 0;
  const failed = total(failedIndexes ?? []);
  if (failed > (job.spec.maxFailedIndexes ?? Infinity)) {
    return failure(
      'MaxFailedIndexesExceeded',
      'Job has exceeded the specified maximal number of failed indexes',
    );
  }
  if (failed > 0 && failed + total(succeededIndexes) >= completions) {
    return failure('FailedIndexes', 'Job has failed indexes');
  }
  const message = successPolicyMet(job.spec.successPolicy, completions, succeededIndexes);
  if (message === undefined) return undefined;
  return { type: 'SuccessCriteriaMet', reason: 'SuccessPolicy', message };
}

/** Restarts within Pods count too if the kubelet restarts containers. */
function restartsExceedLimit(job: Job, pods: readonly Pod[]): boolean {
  if (job.spec.template.spec.restartPolicy !== 'OnFailure') return false;
  let restarts = 0;
  for (const { status } of pods) {
    if (status?.phase !== 'Running' && status?.phase !== 'Pending') continue;
    for (const { restartCount } of [
      ...(status.initContainerStatuses ?? []),
      ...(status.containerStatuses ?? []),
    ]) {
      restarts += restartCount;
    }
  }
  return restarts >= Math.max(1, backoffLimitOf(job));
}

function failure(reason: string, message: string): Fate {
  return { type: 'FailureTarget', reason, message };
}
