/** What the job tells Kueue of itself: Pods that are over, and that its Pods are ready (steps 15 and 16). */
import type { JsonObject } from '#shared/domain/objects.ts';
import { conditionOf, holds, type ReclaimablePod, type Workload } from '../workload.ts';
import { conditionsWith, type NewCondition } from './operations.ts';
import { parseTime } from '#shared/domain/time.ts';
import type { Situation } from './situation.ts';

/** So long after its admission a job tells nothing: one that is over by then costs three writes, milliseconds. */
const briefMs = 2_000;

/** When its news is to be written, milliseconds since the epoch; undefined: now. */
export function settledAtMs(
  { isSuspended, nowMs }: Situation,
  workload: Workload,
): number | undefined {
  if (isSuspended || !holds(workload, 'Admitted') || holds(workload, 'Evicted')) return undefined;
  const admittedMs = parseTime(conditionOf(workload, 'Admitted')?.lastTransitionTime) ?? 0;
  // A clock of Kueue that is ahead delays nothing.
  return admittedMs <= nowMs && nowMs < admittedMs + briefMs ? admittedMs + briefMs : undefined;
}

/** The part of a status that is to be written; undefined: all of it is told. */
export function report(situation: Situation, workload: Workload): JsonObject | undefined {
  const reclaimed = reclaimablePods(situation, workload);
  const ready = podsReady(situation, workload);
  if (reclaimed === undefined && ready === undefined) return undefined;
  return {
    ...(reclaimed === undefined ? {} : { reclaimablePods: reclaimed.map((each) => ({ ...each })) }),
    ...(ready === undefined ? {} : conditionsWith(workload, [ready], situation.nowMs)),
  };
}

const none = { over: 0, of: 1 };

/** Kueue takes no count that shrinks while quota is held: what is told is told. */
function reclaimablePods(
  { kind, job }: Situation,
  workload: Workload,
): readonly ReclaimablePod[] | undefined {
  const shares = new Map(kind.reclaimable(job).map((each) => [each.name, each]));
  const known = new Map(
    (workload.status?.reclaimablePods ?? []).map(({ name, count }) => [name, count]),
  );
  const next = workload.spec.podSets.flatMap(({ name, count }): readonly ReclaimablePod[] => {
    const { over, of } = shares.get(name) ?? none;
    const most = Math.max(Math.floor((count * Math.min(over, of)) / of), known.get(name) ?? 0);
    return most === 0 ? [] : [{ name, count: most }];
  });
  return next.some(({ name, count }) => known.get(name) !== count) ? next : undefined;
}

/**
 * That they are not ready needs no word before they were: Kueue takes a missing condition for it. After that they
 * stay ready until the admission ends, since the steps that follow have their quota.
 */
function podsReady(
  { kind, job, isSuspended }: Situation,
  workload: Workload,
): NewCondition | undefined {
  const known = conditionOf(workload, 'PodsReady');
  const isRunning = holds(workload, 'Admitted') && !isSuspended;
  if (isRunning && kind.arePodsReady(job)) {
    if (known?.status === 'True') return undefined;
    const message = 'All pods reached readiness and the workload is running';
    return { type: 'PodsReady', status: 'True', reason: 'Started', message };
  }
  if (holds(workload, 'Admitted') || known?.status !== 'True') return undefined;
  const message = 'Not all pods are ready or succeeded';
  return { type: 'PodsReady', status: 'False', reason: 'WaitForStart', message };
}
