/** The state of a Job by its conditions (rule 11). */
import { annotations } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import type { Predicted } from './look.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly lastTransitionTime?: string;
}

interface Job {
  readonly spec: { readonly suspend?: boolean; readonly ttlSecondsAfterFinished?: number };
  readonly status: {
    readonly startTime?: string;
    readonly completionTime?: string;
    readonly active?: number;
    readonly ready?: number;
    readonly failed?: number;
    readonly conditions?: readonly Condition[];
  };
}

export interface Fate {
  readonly state: Exclude<Predicted['state'], 'Waiting' | 'Blocked' | 'Skipped'>;
  readonly reason?: string;
  /** The time of its end. Undefined: it gives none. */
  readonly endedAt?: string | undefined;
}

export function jobParts(job: KubeObject): Job {
  return { spec: job.spec ?? {}, status: job.status ?? {} };
}

export function conditionOf(job: KubeObject, type: string): Condition | undefined {
  const { conditions = [] } = jobParts(job).status;
  return conditions.find((condition) => condition.type === type && condition.status === 'True');
}

/** The end comes first: other conditions of an ended Job do not count. */
export function fateOf(job: KubeObject): Fate {
  const [complete, failed] = [conditionOf(job, 'Complete'), conditionOf(job, 'Failed')];
  if (failed !== undefined) {
    const reason = complete === undefined ? (failed.reason ?? 'Failed') : 'UnknownState';
    return { state: 'Failed', reason, endedAt: failed.lastTransitionTime };
  }
  const { spec, status } = jobParts(job);
  if (complete !== undefined) {
    return { state: 'Succeed', endedAt: status.completionTime ?? complete.lastTransitionTime };
  }
  if (job.metadata.deletionTimestamp !== undefined) {
    return { state: 'Running', reason: 'ChildTerminating' };
  }
  if (spec.suspend === true) return suspendedFate(job);
  for (const fate of ['SuccessCriteriaMet', 'FailureTarget']) {
    if (conditionOf(job, fate) !== undefined) return { state: 'Running', reason: fate };
  }
  return { state: status.startTime === undefined ? 'Pending' : 'Running' };
}

/** Its Pods are being stopped for its end, suspension or deletion. */
export function isOnItsWay(reason: string | undefined): boolean {
  const remarks = ['ChildTerminating', 'SuccessCriteriaMet', 'FailureTarget', 'Suspending'];
  return [...remarks, 'Cancelling', 'Shutdown', 'FlowDeadlineExceeded'].includes(reason ?? '');
}

/** It runs until its Pods are gone, even if it should be suspended. */
function suspendedFate(job: KubeObject): Fate {
  const runs = jobParts(job).status.startTime !== undefined;
  if (runs && conditionOf(job, 'Suspended') === undefined) {
    return { state: 'Running', reason: 'Suspending' };
  }
  const isOurs = job.metadata.annotations?.[annotations.suspendedBy] !== undefined;
  return { state: 'Suspended', reason: isOurs ? 'FlowSuspended' : 'ManualGate' };
}

export function hasEnded(job: KubeObject): boolean {
  return conditionOf(job, 'Complete') !== undefined || conditionOf(job, 'Failed') !== undefined;
}
