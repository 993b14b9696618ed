/** The snapshot, indexed once for the whole decision. */
import {
  daemonJobDefaults,
  type DaemonJob,
  type DaemonJobStatus,
  type NodeEntry,
} from '#shared/api/daemon-job.ts';
import { readLedger, type Ledger } from '#shared/api/node-ledger.ts';
import { activeDeadlineMs, isEndingLate } from '#shared/parents/active-deadline.ts';
import type { ChildSuspension } from '#shared/parents/child-suspension.ts';
import { isFinishedJob } from '#shared/domain/child-state.ts';
import type { DecisionInput } from '#shared/domain/decision.ts';
import { excludedNodes } from '#shared/domain/excluded-nodes.ts';
import { labels } from '#shared/domain/labels.ts';
import { objectName, type Uid } from '#shared/domain/objects.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import { shutdown } from '#shared/domain/shutdown.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import { sortedRejections } from '#shared/parents/refused-writes.ts';
import type { DaemonSnapshot, ObservedNode } from '../snapshot.ts';
import { runOf } from '../run-of-job.ts';
import { manualRetry, type ManualRetry } from './retry.ts';

export interface Situation {
  readonly snapshot: DaemonSnapshot;
  readonly daemonJob: DaemonJob;
  readonly namespace: string;
  /** As observed. Empty: no status was written yet. */
  readonly status: DaemonJobStatus;
  readonly nowMs: number;
  /** True: writes that can wait should wait. */
  readonly isUnderLoad: boolean;
  /** As observed. */
  readonly recorded: Ledger;
  readonly retry: ManualRetry;
  readonly excluded: ReadonlySet<string>;
  /** Entries of the status, by node name. Without those of earlier machines of the same names. */
  readonly entries: ReadonlyMap<string, NodeEntry>;
  /** By the UID of the node and the attempt. */
  readonly jobsOfNodes: ReadonlyMap<string, ObservedJob>;
  readonly jobs: ReadonlyMap<string, ObservedJob>;
  /** The first unfinished attempt of each machine, by the UID of the node. */
  readonly unfinished: ReadonlyMap<string, ObservedJob>;
  readonly missing: ReadonlySet<string>;
  /** By the name of the Job: refused creates. */
  readonly rejections: ReadonlyMap<string, Rejection>;
  /** By the uid of the Job: refused changes of it. */
  readonly refusedWrites: ReadonlyMap<Uid, Rejection>;
}

/** Reason of a DaemonJob whose time is up. */
export const deadlineExceeded = 'DeadlineExceeded';

/** Reason of a Job whose machine no longer exists. */
export const nodeGone = 'NodeGone';

export function openSituation(
  snapshot: DaemonSnapshot,
  { nowMs, isUnderLoad }: DecisionInput,
): Situation {
  const { daemonJob, jobs } = snapshot;
  const status = daemonJob.status ?? {};
  const recorded = readLedger(status.ledger);
  return {
    snapshot,
    daemonJob,
    namespace: objectName(daemonJob.metadata).namespace,
    status,
    nowMs,
    isUnderLoad: isUnderLoad === true,
    recorded,
    retry: manualRetry(daemonJob, recorded),
    excluded: excludedNodes(daemonJob.spec.excludeNodeList),
    entries: new Map(
      (status.nodes ?? [])
        .filter(({ reason }) => reason !== nodeGone)
        .map((entry) => [entry.name, entry]),
    ),
    jobsOfNodes: new Map(jobs.map((job) => [ofNode(job), job])),
    jobs: new Map(jobs.map((job) => [job.name, job])),
    unfinished: new Map(
      jobs
        .filter(isUnfinished)
        .toSorted((left, right) => runOf(right).attempt - runOf(left).attempt)
        .map((job) => [job.labels[labels.nodeUid] ?? '', job]),
    ),
    missing: new Set(snapshot.confirmedMissing),
    ...sortedRejections(snapshot.rejections),
  };
}

function ofNode({ labels: own }: ObservedJob): string {
  return `${own[labels.nodeUid] ?? ''}/${own[labels.attempt] ?? ''}`;
}

/** The Job of this attempt on this machine, even if the status does not record it yet. */
export function jobOf(
  { jobsOfNodes }: Situation,
  { uid }: ObservedNode,
  attempt: number,
): ObservedJob | undefined {
  return jobsOfNodes.get(`${uid}/${attempt}`);
}

/** The Job has no reported end, so it may still have Pods. */
export function isUnfinished(job: ObservedJob): boolean {
  return !isFinishedJob(job);
}

export function isTerminating({ daemonJob }: Situation): boolean {
  return daemonJob.metadata.deletionTimestamp !== undefined;
}

/** The first Job was created. From then on the frozen fields may not change. */
export function hasStarted({ status }: Situation): boolean {
  return status.startTime !== undefined;
}

export function isEndless({ daemonJob }: Situation): boolean {
  const policy = daemonJob.spec.completionPolicy ?? daemonJobDefaults.completionPolicy;
  return policy === 'Never';
}

/**
 * The end is on record. A DaemonJob that ended without a start is judged again when its spec changes:
 * nothing ran, so nothing can run twice. After a shutdown only a retry by hand starts it. An endless one
 * ends only by a shutdown, and continues when that is removed. It may have Jobs without a record then, so
 * each new shutdown looks at its Jobs.
 */
export function isFinished(situation: Situation): boolean {
  const { status, daemonJob } = situation;
  if (status.state !== 'Succeed' && status.state !== 'Failed') return false;
  const isJudged = status.observedGeneration === daemonJob.metadata.generation;
  if (isEndless(situation) && !(isShutDown(situation) && isJudged)) return false;
  if (status.reason === shutdown) return true;
  return hasStarted(situation) || isJudged;
}

export function isShutDown({ daemonJob }: Situation): boolean {
  return daemonJob.spec.shutdown !== undefined;
}

export function isSuspended({ daemonJob }: Situation): boolean {
  return daemonJob.spec.suspend === true;
}

export function childSuspension(situation: Situation): ChildSuspension {
  return isSuspended(situation) ? 'stop' : 'resume';
}

export function isPaused({ daemonJob }: Situation): boolean {
  return daemonJob.spec.paused === true;
}

export function failurePolicyOf({ daemonJob }: Situation) {
  return daemonJob.spec.failurePolicy ?? daemonJobDefaults.failurePolicy;
}

/** When the time is up, milliseconds since the epoch. Undefined: no deadline, or nothing may start now. */
export function deadlineMs(situation: Situation): number | undefined {
  const { daemonJob, status, nowMs } = situation;
  if (isSuspended(situation) || isPaused(situation)) return undefined;
  return activeDeadlineMs(daemonJob.spec.activeDeadlineSeconds, status, nowMs);
}

export function isOverdue(situation: Situation): boolean {
  const dueMs = deadlineMs(situation);
  const isDue = dueMs !== undefined && dueMs <= situation.nowMs;
  return isDue || isEndingLate(situation.status, deadlineExceeded);
}
