/** Which flows still have something to do, judged from the cache alone. */
import type { JobFlow } from '#shared/api/job-flow.ts';
import { awaitsTtl } from '#shared/domain/child-ttl.ts';
import { pendingRetry } from '#shared/domain/manual-retry.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { asObservedJob } from '#shared/domain/observed-job.ts';
import { resources } from '#shared/domain/resources.ts';
import { parseTime } from '#shared/domain/time.ts';
import type { SeenObjects } from '#shared/subscription/subscription.ts';

type Stored = Partial<Pick<JobFlow, 'spec' | 'status'>>;

/** Succeeded or failed; what is left is at most to clean up. */
export function isTerminal(flow: KubeObject): boolean {
  const state = (flow as Stored).status?.state;
  return state === 'Succeed' || state === 'Failed';
}

/**
 * Whether somebody has to look at the flow even if no event arrives: it has not ended, is being
 * deleted, was edited or asked to retry since its status was written, outlived its TTL, or has a Job
 * whose own TTL waits to be put in place.
 */
export function isUnfinished(flow: KubeObject, seen: SeenObjects, nowMs: number): boolean {
  const { metadata } = flow;
  const { status } = flow as Stored;
  if (!isTerminal(flow) || metadata.deletionTimestamp !== undefined) return true;
  if (status?.observedGeneration !== metadata.generation) return true;
  if (pendingRetry(metadata, status) !== undefined || hasOutlived(flow, nowMs)) return true;
  return seen.listByOwner(resources.Job, metadata.uid).some((job) => awaitsTtl(asObservedJob(job)));
}

function hasOutlived(flow: KubeObject, nowMs: number): boolean {
  const { spec, status } = flow as Stored;
  const ttlSeconds = spec?.ttlSecondsAfterFinished;
  const endedAtMs = parseTime(status?.completionTime);
  if (ttlSeconds === undefined || endedAtMs === undefined) return false;
  return endedAtMs + ttlSeconds * 1_000 <= nowMs;
}
