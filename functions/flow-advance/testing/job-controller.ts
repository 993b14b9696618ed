/** The Job controller, the garbage collector and the TTL controller of the model. */
import type { JsonObject, KubeObject } from '#shared/domain/objects.ts';
import { parseTime, rfc3339 } from '#shared/domain/time.ts';
import type { ModelCluster } from './model-cluster.ts';

interface JobView {
  readonly suspend: boolean;
  readonly ttlSecondsAfterFinished?: number;
  readonly startTime?: string;
  readonly completionMs?: number;
  readonly isFinished: boolean;
}

export function start(cluster: ModelCluster, name: string): void {
  const job = cluster.find('Job', name);
  if (job === undefined || job.metadata.deletionTimestamp !== undefined) return;
  const view = viewOf(job);
  if (view.isFinished || view.suspend || view.startTime !== undefined) return;
  cluster.setJobStatus(name, { startTime: rfc3339(cluster.nowMs), conditions: [] });
}

export function finish(cluster: ModelCluster, name: string, result: 'Complete' | 'Failed'): void {
  const job = cluster.find('Job', name);
  if (job === undefined || job.metadata.deletionTimestamp !== undefined) return;
  const { isFinished, suspend, startTime } = viewOf(job);
  if (isFinished || suspend) return;
  const now = rfc3339(cluster.nowMs);
  const status: JsonObject = {
    startTime: startTime ?? now,
    ...(result === 'Complete' ? { completionTime: now } : {}),
    conditions: [
      {
        type: result,
        status: 'True',
        reason: 'Model',
        message: 'as the model says',
        lastTransitionTime: now,
      },
    ],
  };
  cluster.setJobStatus(name, status);
}

/** One round of the controllers: they stop suspended Jobs and remove what is due. */
export function settle(cluster: ModelCluster): void {
  for (const job of cluster.jobs()) {
    const { name, deletionTimestamp } = job.metadata;
    const view = viewOf(job);
    const ttlMs = (view.ttlSecondsAfterFinished ?? Infinity) * 1000;
    const isExpired = view.completionMs !== undefined && view.completionMs + ttlMs <= cluster.nowMs;
    if (deletionTimestamp !== undefined || isExpired) cluster.remove('Job', name);
    else if (view.suspend && !view.isFinished) cluster.setJobStatus(name, suspended(cluster.nowMs));
  }
  if (cluster.flow !== undefined) return;
  for (const name of cluster.jobNames) cluster.remove('Job', name);
}

function suspended(nowMs: number): JsonObject {
  const lastTransitionTime = rfc3339(nowMs);
  return { conditions: [{ type: 'Suspended', status: 'True', lastTransitionTime }] };
}

function viewOf({ spec, status }: KubeObject): JobView {
  const { suspend = false, ttlSecondsAfterFinished } = spec as {
    readonly suspend?: boolean;
    readonly ttlSecondsAfterFinished?: number;
  };
  const { startTime, conditions = [] } = (status ?? {}) as {
    readonly startTime?: string;
    readonly conditions?: readonly { readonly type: string; readonly lastTransitionTime: string }[];
  };
  const end = conditions.find(({ type }) => type === 'Complete' || type === 'Failed');
  const completionMs = parseTime(end?.lastTransitionTime);
  return {
    suspend,
    isFinished: end !== undefined,
    ...(ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished }),
    ...(startTime === undefined ? {} : { startTime }),
    ...(completionMs === undefined ? {} : { completionMs }),
  };
}
