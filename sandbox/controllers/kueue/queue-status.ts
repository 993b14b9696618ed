/** The status of LocalQueues and ClusterQueues: whether they are open, and their numbers of Workloads. */
import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '#shared/domain/objects.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import {
  holds,
  localQueueOf,
  type QueueCondition,
  type Queues,
  type Workload,
} from './queue-objects.ts';
import { isStopped, missingFlavors } from './workload-turn.ts';

interface Activity {
  readonly isActive: boolean;
  readonly reason: string;
  readonly message: string;
}

/** Undefined: the status is up to date. */
export function localQueueStatus(queues: Queues, queue: KubeObject, nowMs: number) {
  const found = queues.localQueues.get(`${queue.metadata.namespace ?? ''}/${queue.metadata.name}`);
  if (found === undefined) return undefined;
  const { clusterQueue = '' } = found.spec;
  const isOpen = clusterQueueActivity(queues, clusterQueue).isActive;
  const activity: Activity = isStopped(found.spec)
    ? { isActive: false, reason: 'Stopped', message: 'LocalQueue is stopped' }
    : isOpen
      ? { isActive: true, reason: 'Ready', message: 'Can submit new workloads to localQueue' }
      : {
          isActive: false,
          reason: queues.clusterQueues.has(clusterQueue)
            ? 'ClusterQueueIsInactive'
            : 'ClusterQueueDoesNotExist',
          message: "Can't submit new workloads to clusterQueue",
        };
  const own = queues.workloads.filter((workload) => localQueueOf(queues, workload) === found);
  return changed(queue, nowMs, activity, counts(own));
}

export function clusterQueueStatus(queues: Queues, queue: KubeObject, nowMs: number) {
  const { name } = queue.metadata;
  const own = queues.workloads.filter(
    (workload) =>
      (workload.status?.admission?.clusterQueue ??
        localQueueOf(queues, workload)?.spec.clusterQueue) === name,
  );
  return changed(queue, nowMs, clusterQueueActivity(queues, name), counts(own));
}

function clusterQueueActivity(queues: Queues, name: string): Activity {
  const queue = queues.clusterQueues.get(name);
  const missing = missingFlavors(queues, name);
  const reasons = [
    ...(queue !== undefined && isStopped(queue.spec)
      ? [{ reason: 'Stopped', says: 'is stopped' }]
      : []),
    ...(missing.length > 0
      ? [
          {
            reason: 'FlavorNotFound',
            says: `references missing ResourceFlavor(s): ${missing.join(',')}`,
          },
        ]
      : []),
  ];
  const [first] = reasons;
  if (queue !== undefined && first === undefined) {
    return { isActive: true, reason: 'Ready', message: 'Can admit new workloads' };
  }
  const says = reasons.map((each) => each.says).join(', ');
  const message = `Can't admit new workloads: ${says}.`;
  return { isActive: false, reason: first?.reason ?? 'Unknown', message };
}

function counts(workloads: readonly Workload[]) {
  const open = workloads.filter((workload) => !holds(workload, 'Finished'));
  const reserving = open.filter((workload) => holds(workload, 'QuotaReserved'));
  return {
    pendingWorkloads: open.length - reserving.length,
    reservingWorkloads: reserving.length,
    admittedWorkloads: open.filter((workload) => holds(workload, 'Admitted')).length,
  };
}

function changed(queue: KubeObject, nowMs: number, activity: Activity, counters: object) {
  const { metadata } = queue;
  const before = (
    queue as { readonly status?: { readonly conditions?: readonly QueueCondition[] } }
  ).status;
  const known = before?.conditions?.find(({ type }) => type === 'Active');
  const status = activity.isActive ? 'True' : 'False';
  const condition = {
    type: 'Active',
    status,
    reason: activity.reason,
    message: activity.message,
    observedGeneration: metadata.generation ?? 0,
    lastTransitionTime: known?.status === status ? known.lastTransitionTime : rfc3339(nowMs),
  };
  const next = { ...before, ...counters, conditions: [condition] };
  return isDeepStrictEqual(next, before) ? undefined : next;
}
