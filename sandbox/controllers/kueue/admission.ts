/** Chooses the Workload that gets quota next, and those that it preempts (pkg/scheduler). */
import { parseTime } from '#shared/domain/time.ts';
import {
  type ClusterQueue,
  conditionOf,
  holds,
  localQueueOf,
  type Queues,
  type Workload,
  type WorkloadStatus,
} from './queue-objects.ts';
import { fit, holdsQuotaIn, usageOf } from './quota.ts';
import { evicted, pending, reserved } from './workload-changes.ts';

export interface StatusChange {
  readonly workload: Workload;
  readonly status: WorkloadStatus;
}

/** One step; the next one follows its write. Undefined: no waiting Workload can get quota or another message. */
export function nextAdmission(
  queues: Queues,
  clusterQueue: ClusterQueue,
  nowMs: number,
): StatusChange | undefined {
  const { name } = clusterQueue.metadata;
  const usage = usageOf(name, queues.workloads);
  const isStrict = clusterQueue.spec.queueingStrategy === 'StrictFIFO';
  for (const workload of waitingIn(queues, name)) {
    const found = fit(clusterQueue, workload, usage);
    if (found.kind === 'fits') {
      return { workload, status: reserved(workload, nowMs, name, found.assignments) };
    }
    const victims = found.couldBe ? victimsFor(queues, clusterQueue, workload) : [];
    const [victim] = victims.filter((each) => !holds(each, 'Evicted'));
    if (victim !== undefined) {
      const message = preemptionMessage(workload, name);
      const eviction = { reason: 'Preempted', message, preempted: true } as const;
      return { workload: victim, status: evicted(victim, nowMs, eviction) };
    }
    const awaits =
      victims.length === 0 ? '' : `. Pending the preemption of ${victims.length} workload(s)`;
    const message = `${found.message}${awaits}`;
    if (isNews(workload, message)) {
      return { workload, status: pending(workload, nowMs, 'Pending', message) };
    }
    if (isStrict || victims.length > 0) return undefined;
  }
  return undefined;
}

function isNews({ status }: Workload, message: string): boolean {
  const known = conditionOf(status, 'QuotaReserved');
  return known?.status !== 'False' || known.message !== message;
}

/** By priority, then by age. A preempted Workload keeps its age. */
function waitingIn(queues: Queues, clusterQueue: string): readonly Workload[] {
  return queues.workloads
    .filter((workload) => {
      const queue = localQueueOf(queues, workload);
      return (
        queue?.spec.clusterQueue === clusterQueue &&
        mayRun(queue.spec.stopPolicy) &&
        waits(workload)
      );
    })
    .toSorted(
      (left, right) => priorityOf(right) - priorityOf(left) || createdMs(left) - createdMs(right),
    );
}

function mayRun(stopPolicy = 'None'): boolean {
  return stopPolicy === 'None';
}

function waits(workload: Workload): boolean {
  const { metadata, spec, status } = workload;
  return (
    metadata.deletionTimestamp === undefined &&
    spec.active !== false &&
    !holds(workload, 'Finished') &&
    !holds(workload, 'QuotaReserved') &&
    conditionOf(status, 'Requeued')?.status !== 'False'
  );
}

/**
 * The fewest Workloads of lower priority that make enough room, the lowest and youngest first. Empty: none would help.
 */
function victimsFor(
  queues: Queues,
  clusterQueue: ClusterQueue,
  workload: Workload,
): readonly Workload[] {
  const policy = clusterQueue.spec.preemption?.withinClusterQueue ?? 'Never';
  if (policy === 'Never') return [];
  const { name } = clusterQueue.metadata;
  const isLower = (other: Workload): boolean =>
    priorityOf(other) < priorityOf(workload) ||
    (policy === 'LowerOrNewerEqualPriority' &&
      priorityOf(other) === priorityOf(workload) &&
      createdMs(other) > createdMs(workload));
  const candidates = queues.workloads
    .filter((other) => holdsQuotaIn(name, other) && isLower(other))
    .toSorted(
      (left, right) =>
        Number(holds(right, 'Evicted')) - Number(holds(left, 'Evicted')) ||
        priorityOf(left) - priorityOf(right) ||
        createdMs(right) - createdMs(left),
    );
  const victims: Workload[] = [];
  for (const candidate of candidates) {
    victims.push(candidate);
    const rest = queues.workloads.filter((each) => !victims.includes(each));
    if (fit(clusterQueue, workload, usageOf(name, rest)).kind === 'fits') {
      return fewest(victims, (kept) => {
        const others = queues.workloads.filter((each) => !kept.includes(each));
        return fit(clusterQueue, workload, usageOf(name, others)).kind === 'fits';
      });
    }
  }
  return [];
}

/** Drops victims that are not needed: the last ones were added only because the room was still too small. */
function fewest(
  victims: readonly Workload[],
  suffice: (victims: readonly Workload[]) => boolean,
): readonly Workload[] {
  return victims.reduce<readonly Workload[]>((kept, victim) => {
    const without = kept.filter((each) => each !== victim);
    return suffice(without) ? without : kept;
  }, victims);
}

function priorityOf({ spec }: Workload): number {
  return spec.priority ?? 0;
}

function createdMs({ metadata }: Workload): number {
  return parseTime(metadata.creationTimestamp) ?? 0;
}

function preemptionMessage({ metadata }: Workload, clusterQueue: string): string {
  const job = metadata.labels?.['kueue.x-k8s.io/job-uid'] ?? 'UNKNOWN';
  return `Preempted to accommodate a workload (UID: ${metadata.uid}, JobUID: ${job}) due to prioritization in the ClusterQueue; preemptor path: /${clusterQueue}; preemptee path: /${clusterQueue}`;
}
