/** Which flows still have something to do, judged from the cache alone. */
import type { JobFlow } from '#shared/api/job-flow.ts';
import { annotations } from '#shared/domain/labels.ts';
import { pendingRetry } from '#shared/domain/manual-retry.ts';
import { controllerOf, type KubeObject } from '#shared/domain/objects.ts';
import { parseTime } from '#shared/domain/time.ts';

type Stored = Partial<Pick<JobFlow, 'spec' | 'status'>>;

/** Succeeded or failed; what is left is at most to clean up. */
export function isTerminal(flow: KubeObject): boolean {
  const state = (flow as Stored).status?.state;
  return state === 'Succeed' || state === 'Failed';
}

/**
 * Whether somebody has to look at the flow even if no event arrives: it has not ended, is being
 * deleted, was edited or asked to retry since its status was written, or outlived its TTL.
 */
export function isUnfinished(flow: KubeObject, nowMs: number): boolean {
  const { metadata } = flow;
  const { status } = flow as Stored;
  if (!isTerminal(flow) || metadata.deletionTimestamp !== undefined) return true;
  if (status?.observedGeneration !== metadata.generation) return true;
  return pendingRetry(metadata, status) !== undefined || hasOutlived(flow, nowMs);
}

function hasOutlived(flow: KubeObject, nowMs: number): boolean {
  const { spec, status } = flow as Stored;
  const ttlSeconds = spec?.ttlSecondsAfterFinished;
  const endedAtMs = parseTime(status?.completionTime);
  if (ttlSeconds === undefined || endedAtMs === undefined) return false;
  return endedAtMs + ttlSeconds * 1_000 <= nowMs;
}

/** A finished child whose own TTL waits to be put in place, now that its result is recorded. */
function awaitsTtl({ metadata, spec, status }: KubeObject): boolean {
  const wanted = metadata.annotations?.[annotations.ttlSecondsAfterFinished];
  if (wanted === undefined) return false;
  const { ttlSecondsAfterFinished } = (spec ?? {}) as { readonly ttlSecondsAfterFinished?: number };
  const { conditions = [] } = (status ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  const finished = conditions.some(
    ({ type, status: holds }) => (type === 'Complete' || type === 'Failed') && holds === 'True',
  );
  return finished && ttlSecondsAfterFinished === undefined;
}

/** Each flow at most once, in the order of `flows`. */
export function unfinishedFlows(
  flows: Iterable<KubeObject>,
  jobs: Iterable<KubeObject>,
  nowMs: number,
): readonly KubeObject[] {
  const ownersWithWork = new Set<string>();
  for (const job of jobs) {
    const owner = awaitsTtl(job) ? controllerOf(job.metadata)?.uid : undefined;
    if (owner !== undefined) ownersWithWork.add(owner);
  }
  const unfinished: KubeObject[] = [];
  for (const flow of flows) {
    if (isUnfinished(flow, nowMs) || ownersWithWork.has(flow.metadata.uid)) unfinished.push(flow);
  }
  return unfinished;
}
