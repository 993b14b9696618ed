/** The state of one child Job, read from its conditions (rule 11). */
import { annotations } from './labels.ts';
import type { JobCondition, ObservedJob } from './observed-job.ts';

export type ChildState =
  | { readonly kind: 'pending' }
  | { readonly kind: 'running'; readonly reason?: string; readonly message?: string }
  | { readonly kind: 'suspended'; readonly reason: string; readonly message: string }
  | { readonly kind: 'succeeded'; readonly completionTime?: string }
  | {
      readonly kind: 'failed';
      readonly reason: string;
      readonly message: string;
      readonly completionTime?: string;
    };

/** `owner` is the word for the Job's owner in messages. */
export function childState(job: ObservedJob, owner = 'flow'): ChildState {
  return finishedState(job) ?? unfinishedState(job, owner);
}

export function isFinishedJob(job: ObservedJob): boolean {
  return finishedState(job) !== undefined;
}

/** It has not ended and is not being deleted. */
export function isDeletable(job: ObservedJob): boolean {
  return job.deletionTimestamp === undefined && !isFinishedJob(job);
}

/** Its success is certain, although Pods may still be terminating (KEP-4368). */
export function meetsSuccessCriteria(job: ObservedJob): boolean {
  return trueCondition(job, 'SuccessCriteriaMet') !== undefined;
}

/**
 * A Job with both terminal conditions counts as failed, so that the contradiction is not hidden.
 */
function finishedState(job: ObservedJob): ChildState | undefined {
  const complete = trueCondition(job, 'Complete');
  const failed = trueCondition(job, 'Failed');
  if (failed !== undefined) {
    const contradiction = complete !== undefined;
    return {
      kind: 'failed',
      reason: contradiction ? 'UnknownState' : (failed.reason ?? 'Failed'),
      message: contradiction
        ? 'the Job is both Complete and Failed'
        : (failed.message ?? 'the Job failed'),
      ...timeOf(failed.lastTransitionTime),
    };
  }
  if (complete === undefined) return undefined;
  return { kind: 'succeeded', ...timeOf(job.completionTime ?? complete.lastTransitionTime) };
}

function unfinishedState(job: ObservedJob, owner: string): ChildState {
  if (job.deletionTimestamp !== undefined) {
    const message = 'the Job is being deleted; waiting until it and its Pods are gone';
    return { kind: 'running', reason: 'ChildTerminating', message };
  }
  if (job.suspend) return suspendedState(job, owner);
  if (meetsSuccessCriteria(job)) {
    const message = 'the Job has succeeded; its Pods are terminating';
    return { kind: 'running', reason: 'SuccessCriteriaMet', message };
  }
  const target = trueCondition(job, 'FailureTarget');
  if (target !== undefined) {
    const message = `the Job has failed (${target.reason ?? 'unknown'}); its Pods are terminating`;
    return { kind: 'running', reason: 'FailureTarget', message };
  }
  return { kind: job.startTime === undefined ? 'pending' : 'running' };
}

/** Reads the condition, not the spec: until it is set, Pods may still run. */
function suspendedState(job: ObservedJob, owner: string): ChildState {
  const hasStopped = job.startTime === undefined || trueCondition(job, 'Suspended') !== undefined;
  if (!hasStopped) {
    return {
      kind: 'running',
      reason: 'Suspending',
      message: 'the Pods of the Job are being stopped',
    };
  }
  return job.annotations[annotations.suspendedBy] === undefined
    ? {
        kind: 'suspended',
        reason: 'ManualGate',
        message: `the Job is suspended, and not by this ${owner}: run millrace approve, or set its spec.suspend to false`,
      }
    : {
        kind: 'suspended',
        reason: 'FlowSuspended',
        message: `suspended together with the ${owner}`,
      };
}

function trueCondition(job: ObservedJob, type: string): JobCondition | undefined {
  return job.conditions.find((condition) => condition.type === type && condition.status === 'True');
}

function timeOf(completionTime: string | undefined): { readonly completionTime?: string } {
  return completionTime === undefined ? {} : { completionTime };
}
