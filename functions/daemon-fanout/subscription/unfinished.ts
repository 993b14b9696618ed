/** Which DaemonJobs still have something to do, judged from the cache alone. */
import { daemonJobDefaults, type DaemonJob } from '#shared/api/daemon-job.ts';
import { isDeletable } from '#shared/domain/child-state.ts';
import { awaitsTtl } from '#shared/parents/child-ttl.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { asObservedJob } from '#shared/domain/observed-job.ts';
import { resources } from '#shared/domain/resources.ts';
import { hasEnded, hasOutlived, isUnderway } from '#shared/parents/unfinished.ts';
import type { SeenObjects } from '#shared/subscription/subscription.ts';
import { countNodes } from './node-counts.ts';

type Stored = Partial<Pick<DaemonJob, 'spec' | 'status'>>;

/** Ended, and no node that comes changes that. */
export function isOver(daemonJob: KubeObject): boolean {
  return hasEnded(daemonJob) && (!isEndless(daemonJob) || isShutDown(daemonJob));
}

/**
 * Whether somebody has to look at it even if no event arrives: it is under way, has outlived its TTL, a Job of it has not ended or waits
 * for its own TTL, or it goes on for ever and there is a node that has not had its Job, or its status records other nodes. That comes
 * of a view of nodes that was behind, where the run that the next node woke did not know of that status yet.
 */
export function isUnfinished(daemonJob: KubeObject, seen: SeenObjects, nowMs: number): boolean {
  const { metadata } = daemonJob;
  const { status = {} } = daemonJob as Stored;
  if (isUnderway(daemonJob)) return true;
  const jobs = seen.listByOwner(resources.Job, metadata.uid).map(asObservedJob);
  if (jobs.some((job) => isDeletable(job) || awaitsTtl(job))) return true;
  // What goes on for ever has no TTL: with one it contradicts itself, and stays as it failed.
  if (!isEndless(daemonJob)) return hasOutlived(daemonJob, nowMs);
  if (isShutDown(daemonJob)) return false;
  const { desired, skipped } = status;
  const nodes = countNodes(daemonJob as Stored, seen.list(resources.Node));
  if (nodes.open > 0 && goesOn(daemonJob)) return true;
  return isOther(desired, nodes.desired) || isOther(skipped, nodes.skipped);
}

function isEndless(daemonJob: KubeObject): boolean {
  const { completionPolicy } = (daemonJob as Stored).spec ?? {};
  return (completionPolicy ?? daemonJobDefaults.completionPolicy) === 'Never';
}

function isShutDown(daemonJob: KubeObject): boolean {
  return (daemonJob as Stored).spec?.shutdown !== undefined;
}

/** What has failed on one machine may still run on another that comes. */
function goesOn(daemonJob: KubeObject): boolean {
  const { spec, status } = daemonJob as Stored;
  if (status?.state === 'Succeed') return true;
  const policy = spec?.failurePolicy ?? daemonJobDefaults.failurePolicy;
  return status?.reason === 'NodeFailed' && policy !== 'FailFast';
}

/** Not where nothing was counted: it could not be run. */
function isOther(told: number | undefined, counted: number): boolean {
  return told !== undefined && told !== counted;
}
