/** The reports of a job to Kueue: finished Pods, and that its Pods are ready (steps 15 and 16). */
import { fieldsOf } from '#shared/domain/json-value.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { conditionOf, holds, type Workload } from '../workload.ts';
import { conditionsWith, type NewCondition } from './operations.ts';
import { parseTime } from '#shared/domain/time.ts';
import type { Situation } from './situation.ts';

/**
 * Interval between two reports of a job, counted from its admission, milliseconds. Each report costs the API server a
 * write, and Kueue a check of everything that waits. A job that ends within one interval costs three writes in all.
 */
const everyMs = 10_000;

/** When the report is due, milliseconds since the epoch. Undefined: now. */
export function reportDueMs(
  { snapshot, isSuspended, job, nowMs }: Situation,
  workload: Workload,
  news: JsonObject,
): number | undefined {
  if (isSuspended || !holds(workload, 'Admitted')) return undefined;
  if (snapshot.awaitsReadiness === true && 'conditions' in news) return undefined;
  const admittedMs = parseTime(conditionOf(workload, 'Admitted')?.lastTransitionTime) ?? 0;
  // If Kueue's clock is ahead, nothing is delayed.
  if (admittedMs > nowMs) return undefined;
  const lastDueMs = nowMs - ((nowMs - admittedMs) % everyMs);
  const { lastUpdateTime } = fieldsOf(job.status);
  const changedMs = typeof lastUpdateTime === 'string' ? parseTime(lastUpdateTime) : undefined;
  // A later change of the job's status waits for the next time.
  const wasDue = lastDueMs > admittedMs && (changedMs ?? lastDueMs) <= lastDueMs;
  return wasDue ? undefined : lastDueMs + everyMs;
}

/** The part of the status to write. Undefined: everything is reported. */
export function report(situation: Situation, workload: Workload): JsonObject | undefined {
  const ready = podsReady(situation, workload);
  const news = {
    ...reclaimed(situation, workload),
    ...(ready === undefined ? {} : conditionsWith(workload, [ready], situation.nowMs)),
  };
  return Object.keys(news).length === 0 ? undefined : news;
}

const none = { over: 0, of: 1 };

/** A report is never taken back: Kueue accepts no lower count while quota is held. Empty: nothing is new. */
export function reclaimed({ kind, job }: Situation, workload: Workload): JsonObject {
  const shares = new Map(kind.reclaimable(job).map((each) => [each.name, each]));
  const known = new Map(
    (workload.status?.reclaimablePods ?? []).map(({ name, count }) => [name, count]),
  );
  const reclaimablePods = workload.spec.podSets.flatMap(({ name, count }) => {
    const { over, of } = shares.get(name) ?? none;
    const most = Math.max(Math.floor((count * Math.min(over, of)) / of), known.get(name) ?? 0);
    return most === 0 ? [] : [{ name, count: most }];
  });
  const isNew = reclaimablePods.some(({ name, count }) => known.get(name) !== count);
  return isNew ? { reclaimablePods } : {};
}

/**
 * Before the Pods are ready, no report is needed: Kueue reads a missing condition as not ready. Then they stay ready
 * until the admission ends, since the following steps have their quota.
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
  return holds(workload, 'Admitted') ? undefined : readyNoMore(workload);
}

/** Undefined: they were never reported as ready. */
export function readyNoMore(workload: Workload): NewCondition | undefined {
  if (!holds(workload, 'PodsReady')) return undefined;
  const message = 'Not all pods are ready or succeeded';
  return { type: 'PodsReady', status: 'False', reason: 'WaitForStart', message };
}
