/** Finds the flows that still have something to do, from the cache alone. */
import { flowController, otherController } from '#shared/api/work/managed-by.ts';
import { fieldsOf } from '#shared/domain/json-value.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { asObservedJob } from '#shared/domain/observed-job.ts';
import { resources } from '#shared/domain/resources.ts';
import { awaitsTtl } from '#shared/parents/child-ttl.ts';
import { hasOutlived, isUnderway } from '#shared/parents/unfinished.ts';
import type { SeenObjects } from '#shared/subscription/subscription.ts';

/**
 * Whether the flow must be checked even without an event: it is under way, has outlived its TTL, or has
 * a Job whose own TTL is not set yet.
 */
export function isUnfinished(flow: KubeObject, seen: SeenObjects, nowMs: number): boolean {
  if (isRunElsewhere(flow)) return false;
  if (isUnderway(flow) || hasOutlived(flow, nowMs)) return true;
  const jobs = seen.listByOwner(resources.Job, flow.metadata.uid);
  return jobs.some((job) => awaitsTtl(asObservedJob(job)));
}

/** Another controller runs the flow and writes its status. */
export function isRunElsewhere({ spec }: KubeObject): boolean {
  return otherController(fieldsOf(spec), flowController) !== undefined;
}
