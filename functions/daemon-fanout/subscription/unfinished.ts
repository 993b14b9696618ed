/** Finds the DaemonJobs that still have something to do, from the cache alone. */
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

/** It has ended, and no new node changes that. */
export function isOver(daemonJob: KubeObject): boolean {
  return hasEnded(daemonJob) && (!isEndless(daemonJob) || isShutDown(daemonJob));
}

/**
 * Whether the DaemonJob must be checked even without an event: it is under way, has outlived its TTL, or has
 * a Job that has not ended or whose TTL is not set yet. An endless one is also checked if a node has not had
 * its Job, or if its status counts other nodes. The last pass may have used an outdated view of nodes.
 */
export function isUnfinished(daemonJob: KubeObject, seen: SeenObjects, nowMs: number): boolean {
  const { metadata } = daemonJob;
  const { status = {} } = daemonJob as Stored;
  if (isUnderway(daemonJob)) return true;
  const jobs = seen.listByOwner(resources.Job, metadata.uid).map(asObservedJob);
  if (jobs.some((job) => isDeletable(job) || awaitsTtl(job))) return true;
  // An endless DaemonJob has no TTL: with one it is invalid, and stays as it failed.
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

/** After a failure on one machine, a new machine may still run it. */
function goesOn(daemonJob: KubeObject): boolean {
  const { spec, status } = daemonJob as Stored;
  if (status?.state === 'Succeed') return true;
  const policy = spec?.failurePolicy ?? daemonJobDefaults.failurePolicy;
  return status?.reason === 'NodeFailed' && policy !== 'FailFast';
}

/** Undefined: nothing was counted, since it could not be run. */
function isOther(recorded: number | undefined, counted: number): boolean {
  return recorded !== undefined && recorded !== counted;
}
