/**
 * Changes of one Workload that do not depend on others: by stopped queues, checks and users
 * (core/workload_controller.go).
 */
import {
  type ClusterQueue,
  conditionOf,
  holds,
  localQueueOf,
  type Queues,
  type Workload,
  type WorkloadStatus,
} from './queue-objects.ts';
import { admitted, evicted, pending, pendingCheck, requeued } from './workload-changes.ts';

export type Turn =
  | { readonly kind: 'status'; readonly status: WorkloadStatus }
  /** A check has rejected it. First its spec is set to inactive. */
  | { readonly kind: 'deactivate' };

/** Undefined: this Workload needs no change by itself. */
export function turnOf(queues: Queues, workload: Workload, nowMs: number): Turn | undefined {
  if (holds(workload, 'Finished') || workload.metadata.deletionTimestamp !== undefined) {
    return undefined;
  }
  if (checksOf(workload).some(({ state }) => state === 'Rejected') && isActive(workload)) {
    return { kind: 'deactivate' };
  }
  const status = holds(workload, 'QuotaReserved')
    ? whileReserved(queues, workload, nowMs)
    : whileWaiting(queues, workload, nowMs);
  return status === undefined ? undefined : { kind: 'status', status };
}

function whileReserved(
  queues: Queues,
  workload: Workload,
  nowMs: number,
): WorkloadStatus | undefined {
  if (holds(workload, 'Evicted')) return undefined;
  const eviction = evictionOf(queues, workload);
  if (eviction !== undefined) return evicted(workload, nowMs, eviction);
  const wanted = wantedChecks(queues, workload);
  const present = checksOf(workload);
  const missing = wanted.filter((name) => !present.some((check) => check.name === name));
  if (missing.length > 0) {
    const added = missing.map((name) => pendingCheck(name, nowMs));
    return { ...workload.status, admissionChecks: [...present, ...added] };
  }
  const isReady = present.every(({ state }) => state === 'Ready');
  return isReady && !holds(workload, 'Admitted') ? admitted(workload, nowMs) : undefined;
}

function evictionOf(queues: Queues, workload: Workload) {
  if (!isActive(workload)) {
    const byCheck = checksOf(workload).some(({ state }) => state === 'Rejected');
    const reason = byCheck ? 'DeactivatedDueToAdmissionCheck' : 'Deactivated';
    return { reason, message: 'The workload is deactivated' };
  }
  const retried = checksOf(workload).filter(({ state }) => state === 'Retry');
  if (retried.length > 0) {
    const noun = retried.length > 1 ? 'AdmissionChecks' : 'AdmissionCheck';
    const names = retried.map(({ name, message }) => `${name}(${message})`).join('; ');
    const message = `Evicted due to ${noun} in Retry state: ${names}`;
    return { reason: 'AdmissionCheck', message };
  }
  const localQueue = localQueueOf(queues, workload);
  if (localQueue?.spec.stopPolicy === 'HoldAndDrain') {
    return { reason: 'LocalQueueStopped', message: 'The LocalQueue is stopped' };
  }
  const clusterQueue = queues.clusterQueues.get(workload.status?.admission?.clusterQueue ?? '');
  if (clusterQueue?.spec.stopPolicy === 'HoldAndDrain') {
    return { reason: 'ClusterQueueStopped', message: 'The ClusterQueue is stopped' };
  }
  return undefined;
}

function whileWaiting(
  queues: Queues,
  workload: Workload,
  nowMs: number,
): WorkloadStatus | undefined {
  if (!isActive(workload)) {
    const eviction = { reason: 'Deactivated', message: 'The workload is deactivated' };
    return holds(workload, 'Evicted') ? undefined : evicted(workload, nowMs, eviction);
  }
  const obstacle = obstacleOf(queues, workload);
  if (obstacle !== undefined) return waiting(workload, nowMs, obstacle);
  const restart = restartOf(workload);
  return restart === undefined ? undefined : requeued(workload, nowMs, restart);
}

function waiting(workload: Workload, nowMs: number, message: string): WorkloadStatus | undefined {
  const before = conditionOf(workload.status, 'QuotaReserved');
  if (before?.status === 'False' && before.message === message) return undefined;
  return pending(workload, nowMs, 'Inadmissible', message);
}

/** Undefined: its queues exist and are open. */
function obstacleOf(queues: Queues, workload: Workload): string | undefined {
  const { queueName = '' } = workload.spec;
  if (queueName === '') return undefined;
  const localQueue = localQueueOf(queues, workload);
  if (localQueue === undefined) return `LocalQueue ${queueName} doesn't exist`;
  if (isStopped(localQueue.spec)) return `LocalQueue ${queueName} is inactive`;
  const { clusterQueue: name = '' } = localQueue.spec;
  const clusterQueue = queues.clusterQueues.get(name);
  if (clusterQueue === undefined) return `ClusterQueue ${name} doesn't exist`;
  return isOpen(queues, clusterQueue) ? undefined : `ClusterQueue ${name} is inactive`;
}

/** The reason to queue an evicted Workload again. Undefined: it is queued already, or not yet. */
function restartOf(workload: Workload): string | undefined {
  const aside = conditionOf(workload.status, 'Requeued');
  if (aside?.status !== 'False') return undefined;
  switch (aside.reason) {
    case 'LocalQueueStopped':
      return 'LocalQueueRestarted';
    case 'ClusterQueueStopped':
      return 'ClusterQueueRestarted';
    case 'AdmissionCheck':
      return 'BackoffFinished';
    default:
      return aside.reason.startsWith('Deactivated') ? 'Reactivated' : undefined;
  }
}

export function isStopped({ stopPolicy = 'None' }: { readonly stopPolicy?: string }): boolean {
  return stopPolicy !== 'None';
}

export function isOpen(queues: Queues, { metadata, spec }: ClusterQueue): boolean {
  return !isStopped(spec) && missingFlavors(queues, metadata.name).length === 0;
}

export function missingFlavors(
  { clusterQueues, flavors }: Queues,
  clusterQueue: string,
): readonly string[] {
  const groups = clusterQueues.get(clusterQueue)?.spec.resourceGroups ?? [];
  const named = groups.flatMap((group) => group.flavors.map(({ name }) => name));
  return named.filter((name) => !flavors.has(name));
}

function wantedChecks({ clusterQueues }: Queues, { status }: Workload): readonly string[] {
  const clusterQueue = clusterQueues.get(status?.admission?.clusterQueue ?? '');
  const checks = clusterQueue?.spec.admissionChecksStrategy?.admissionChecks ?? [];
  return checks.map(({ name }) => name);
}

function checksOf({ status }: Workload) {
  return status?.admissionChecks ?? [];
}

function isActive({ spec }: Workload): boolean {
  return spec.active !== false;
}
