/** Which flows the integration still has something to do for, judged from the cache alone. */
import type { JobFlow } from '#shared/api/job-flow.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { queueLabel } from '#shared/domain/queue-labels.ts';
import { resources } from '#shared/domain/resources.ts';
import type { SeenObjects } from '#shared/subscription/subscription.ts';

/** The label on the flow itself: the whole waits in a queue. */
export function isQueued({ metadata }: KubeObject): boolean {
  const queue = metadata.labels?.[queueLabel];
  return queue !== undefined && queue !== '';
}

function hasEnded(flow: KubeObject): boolean {
  const state = (flow as Partial<Pick<JobFlow, 'status'>>).status?.state;
  return state === 'Succeed' || state === 'Failed';
}

export function mayStillStart(flow: KubeObject): boolean {
  return isQueued(flow) && !hasEnded(flow);
}

/** Until it has ended and its Workload is let go. */
export function isUnfinished(flow: KubeObject, seen: SeenObjects): boolean {
  if (!isQueued(flow)) return false;
  if (!hasEnded(flow) || flow.metadata.deletionTimestamp !== undefined) return true;
  const workloads = seen.listByOwner(resources.Workload, flow.metadata.uid);
  return workloads.some(({ metadata }) => (metadata.finalizers ?? []).length > 0);
}
