/** Kueue's writes to the status of a Workload (pkg/workload, pkg/scheduler/preemption, of v0.19). */
import { rfc3339 } from '#shared/domain/time.ts';
import {
  type AdmissionCheckState,
  type Assignment,
  conditionOf,
  type QueueCondition,
  type Workload,
  type WorkloadStatus,
} from './queue-objects.ts';

type Change = Omit<QueueCondition, 'lastTransitionTime' | 'observedGeneration'>;

/** A condition keeps its time while its status is unchanged. */
export function withConditions(
  { metadata, status = {} }: Workload,
  nowMs: number,
  changes: readonly Change[],
): WorkloadStatus {
  const conditions = [...(status.conditions ?? [])];
  for (const change of changes) {
    const before = conditionOf({ conditions }, change.type);
    const next: QueueCondition = {
      ...change,
      observedGeneration: metadata.generation ?? 0,
      lastTransitionTime:
        before?.status === change.status ? before.lastTransitionTime : rfc3339(nowMs),
    };
    if (before === undefined) conditions.push(next);
    else conditions[conditions.indexOf(before)] = next;
  }
  return { ...status, conditions };
}

export function reserved(
  workload: Workload,
  nowMs: number,
  clusterQueue: string,
  podSetAssignments: readonly Assignment[],
): WorkloadStatus {
  const message = `Quota reserved in ClusterQueue ${clusterQueue}`;
  const past = ['Evicted', 'Preempted'].flatMap((type): Change[] => {
    const before = conditionOf(workload.status, type);
    if (before?.status !== 'True') return [];
    return [
      { type, status: 'False', reason: 'QuotaReserved', message: `Previously: ${before.message}` },
    ];
  });
  return {
    ...withConditions(workload, nowMs, [
      { type: 'QuotaReserved', status: 'True', reason: 'QuotaReserved', message },
      ...past,
    ]),
    admission: { clusterQueue, podSetAssignments },
  };
}

export function admitted(workload: Workload, nowMs: number): WorkloadStatus {
  const message = 'The workload is admitted';
  return withConditions(workload, nowMs, [
    { type: 'Admitted', status: 'True', reason: 'Admitted', message },
  ]);
}

/** Evicts the Workload. The job's controller writes the rest when none of its Pods is running. */
export function evicted(
  workload: Workload,
  nowMs: number,
  { reason, message, preempted }: Eviction,
): WorkloadStatus {
  const checks = workload.status?.admissionChecks ?? [];
  const status = withConditions(workload, nowMs, [
    { type: 'Evicted', status: 'True', reason, message },
    ...(preempted === true
      ? [{ type: 'Preempted', status: 'True', reason: 'InClusterQueue', message } as const]
      : []),
  ]);
  return checks.length === 0
    ? status
    : { ...status, admissionChecks: checks.map((check) => pendingCheck(check.name, nowMs)) };
}

export interface Eviction {
  readonly reason: string;
  readonly message: string;
  readonly preempted?: true;
}

export function pendingCheck(name: string, nowMs: number): AdmissionCheckState {
  return { name, state: 'Pending', message: '', lastTransitionTime: rfc3339(nowMs) };
}

/** Reports that the Workload waits, and why. */
export function pending(
  workload: Workload,
  nowMs: number,
  reason: 'Pending' | 'Inadmissible',
  message: string,
): WorkloadStatus {
  return withConditions(workload, nowMs, [
    { type: 'QuotaReserved', status: 'False', reason, message },
  ]);
}

export function requeued(workload: Workload, nowMs: number, reason: string): WorkloadStatus {
  const message = requeueMessages[reason] ?? '';
  return withConditions(workload, nowMs, [{ type: 'Requeued', status: 'True', reason, message }]);
}

const requeueMessages: Readonly<Record<string, string>> = {
  Reactivated: 'The workload was reactivated',
  LocalQueueRestarted: 'The LocalQueue was restarted after being stopped',
  ClusterQueueRestarted: 'The ClusterQueue was restarted after being stopped',
};
