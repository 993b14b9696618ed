/** Which DaemonJobs still have something to do, judged from the cache alone. */
import { daemonJobDefaults, type DaemonJob } from '#shared/api/daemon-job.ts';
import { nodeKey, readLedger } from '#shared/api/node-ledger.ts';
import { excludedNodes } from '#shared/domain/excluded-nodes.ts';
import { pendingRetry } from '#shared/domain/manual-retry.ts';
import { ineligibility } from '#shared/domain/node-eligibility.ts';
import { nodeFacts } from '#shared/domain/node-facts.ts';
import type { JsonObject, KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { parseTime } from '#shared/domain/time.ts';
import type { SeenObjects } from '#shared/subscription/subscription.ts';

type Stored = Partial<Pick<DaemonJob, 'spec' | 'status'>>;

/** Ended, and no node that comes changes that. */
export function isOver(daemonJob: KubeObject): boolean {
  return hasEnded(daemonJob) && !isEndless(daemonJob);
}

/**
 * Whether somebody has to look at it even if no event arrives: it has not ended, is being deleted, was
 * edited or asked to retry since its status was written, outlived its TTL, a Job of it has not ended, or it
 * goes on for ever and there is a node that has not had its Job.
 */
export function isUnfinished(daemonJob: KubeObject, seen: SeenObjects, nowMs: number): boolean {
  const { metadata } = daemonJob;
  const { status } = daemonJob as Stored;
  if (!hasEnded(daemonJob) || metadata.deletionTimestamp !== undefined) return true;
  if (status?.observedGeneration !== metadata.generation) return true;
  if (pendingRetry(metadata, status) !== undefined || hasOutlived(daemonJob, nowMs)) return true;
  if (seen.listByOwner(resources.Job, metadata.uid).some(isLeft)) return true;
  return isEndless(daemonJob) && status?.state === 'Succeed' && hasNewNode(daemonJob, seen);
}

function hasEnded(daemonJob: KubeObject): boolean {
  const state = (daemonJob as Stored).status?.state;
  return state === 'Succeed' || state === 'Failed';
}

function isEndless(daemonJob: KubeObject): boolean {
  const { completionPolicy } = (daemonJob as Stored).spec ?? {};
  return (completionPolicy ?? daemonJobDefaults.completionPolicy) === 'Never';
}

function isLeft({ metadata, status }: KubeObject): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly Condition[] };
  return !conditions.some(({ type, status: holds }) => ends.has(type) && holds === 'True');
}

interface Condition {
  readonly type: string;
  readonly status: string;
}

const ends: ReadonlySet<string> = new Set(['Complete', 'Failed']);

function hasOutlived(daemonJob: KubeObject, nowMs: number): boolean {
  const { spec, status } = daemonJob as Stored;
  const ttlSeconds = spec?.ttlSecondsAfterFinished;
  const endedAtMs = parseTime(status?.completionTime);
  if (ttlSeconds === undefined || endedAtMs === undefined) return false;
  return endedAtMs + ttlSeconds * 1_000 <= nowMs;
}

function hasNewNode(daemonJob: KubeObject, seen: SeenObjects): boolean {
  const { spec, status } = daemonJob as Stored;
  const ledger = readLedger(status?.ledger);
  const excluded = excludedNodes(spec?.excludeNodeList);
  const pod = (spec?.template.spec ?? {}) as JsonObject;
  const takesAll = spec?.eligibility === 'All';
  for (const node of seen.list(resources.Node)) {
    const { name, uid } = node.metadata;
    if (excluded.has(name) || ledger.has(nodeKey(uid))) continue;
    if (ineligibility(nodeFacts(node), pod, takesAll) === undefined) return true;
  }
  return false;
}
