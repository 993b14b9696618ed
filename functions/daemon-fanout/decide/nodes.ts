/** Computes each node's new entry from its ledger entry and the observed Jobs. */
import { isRefusal } from '#shared/domain/rejection.ts';
import { isLedgerFailure, type LedgerEntry } from '#shared/api/node-ledger.ts';
import { childState, type ChildState } from '#shared/domain/child-state.ts';
import { failureMessage } from '#shared/domain/failure-cause.ts';
import { holdUpOf } from '#shared/domain/hold-up.ts';
import { unselected } from '#shared/domain/node-eligibility.ts';
import { nodeJobName } from '#shared/domain/node-job-name.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import { vanished } from '#shared/domain/vanished-child.ts';
import { shortened } from '#shared/domain/wording.ts';
import type { ObservedNode } from '../snapshot.ts';
import { runOf } from '../run-of-job.ts';
import {
  failurePolicyOf,
  isOverdue,
  isShutDown,
  isUnfinished,
  jobOf,
  type Situation,
} from './situation.ts';

export type NodeState =
  | 'Succeeded'
  | 'Failed'
  | 'Cancelled'
  /** Its Job exists and has not ended, or was created and is not in the view yet. */
  | 'Active'
  | 'Waiting'
  | 'Skipped'
  | 'Unselected'
  | 'Excluded';

/** One node during a decision. */
export interface NodeRecord {
  readonly node: ObservedNode;
  readonly state: NodeState;
  readonly attempt: number;
  readonly job?: ObservedJob;
  readonly reason?: string;
  readonly message?: string;
  readonly completionTime?: string;
  /** The node waits because its Job cannot be created, or because an old Job has to be gone first. */
  readonly isBlocked?: true;
}

export const notReporting = 'NodeNotReady';

/** Sorted by name, as the nodes are. */
export function observeNodes(situation: Situation): readonly NodeRecord[] {
  const cancelledFor = whyCancelled(situation);
  return situation.snapshot.nodes.map((node) => observeNode(situation, node, cancelledFor));
}

/** Why Jobs are deleted before their end. Failures count as they are recorded. */
function whyCancelled(situation: Situation): string | undefined {
  if (isShutDown(situation)) return 'while the DaemonJob was shut down (spec.shutdown)';
  if (isOverdue(situation)) return 'because its deadline passed (spec.activeDeadlineSeconds)';
  if (failurePolicyOf(situation) !== 'FailFast') return undefined;
  const hasFailed = [...situation.retry.ledger.values()].some(({ state }) => state === 'Failed');
  return hasFailed ? 'because another node failed (spec.failurePolicy is FailFast)' : undefined;
}

/**
 * A node that ended stays over, whatever became of its Job. Otherwise the Job of its attempt decides, even
 * if the status does not record it yet: owner and labels are the proof.
 */
function observeNode(
  situation: Situation,
  node: ObservedNode,
  cancelledFor: string | undefined,
): NodeRecord {
  const entry = situation.retry.ledger.get(node.key);
  const attempt = entry?.attempt ?? 0;
  if (entry?.state === 'Succeeded') return { node, state: 'Succeeded', attempt };
  if (isLedgerFailure(entry?.state)) {
    return { ...saidOfEnd(situation, node, entry.state), node, state: entry.state, attempt };
  }
  const job = jobOf(situation, node, attempt);
  if (job !== undefined) return withJob(situation, node, entry, job);
  if (entry?.state === 'Retired') {
    const next = { state: 'Retrying', attempt: attempt + 1 } as const;
    const unrecorded = jobOf(situation, node, next.attempt);
    if (unrecorded !== undefined) return withJob(situation, node, next, unrecorded);
  }
  const jobName = nodeJobName(situation.daemonJob.metadata.name, node.name, attempt);
  if (situation.missing.has(jobName)) {
    return withoutJob(situation, node, attempt, { jobName, cancelledFor });
  }
  // Created, but the view is behind. If the name shows another machine's Job, the create did not make ours.
  if (isStarted(entry) && !situation.jobs.has(jobName)) return { node, state: 'Active', attempt };
  return notStarted(situation, node, entry);
}

function isStarted(entry: LedgerEntry | undefined): boolean {
  return entry?.state === 'Started';
}

function withJob(
  situation: Situation,
  node: ObservedNode,
  entry: LedgerEntry | undefined,
  job: ObservedJob,
): NodeRecord {
  const attempt = entry?.attempt ?? 0;
  const state = childState(job, 'DaemonJob');
  switch (state.kind) {
    case 'succeeded':
      return { node, job, state: 'Succeeded', attempt, ...endedAt(state) };
    case 'failed': {
      const { reason } = state;
      const message = shortened(failureMessage(situation.namespace, job, state));
      return { node, job, state: 'Failed', attempt, reason, message, ...endedAt(state) };
    }
    case 'pending':
    case 'running':
    case 'suspended':
      if (situation.excluded.has(node.name)) return { node, job, state: 'Excluded', attempt };
      if (entry?.state === 'Retired') return leaving(node, job, attempt);
      return { node, job, state: 'Active', attempt, ...remarkOn(situation, node, job, state) };
  }
}

/** Reason of a node that waits until the Job of an earlier attempt is gone. */
export const leavingReason = 'Leaving';

/** The Job of an earlier attempt is still being removed, after an exclusion or a retry by hand. */
function leaving(node: ObservedNode, job: ObservedJob, attempt: number): NodeRecord {
  const message = `waiting until the Job of an earlier attempt is gone: ${job.name}`;
  return { node, job, state: 'Waiting', attempt, reason: leavingReason, message, isBlocked: true };
}

type Unfinished = Extract<ChildState, { readonly kind: 'pending' | 'running' | 'suspended' }>;

function remarkOn(
  situation: Situation,
  node: ObservedNode,
  job: ObservedJob,
  state: Unfinished,
): Pick<NodeRecord, 'reason' | 'message'> {
  if (state.kind === 'suspended') {
    return state.reason === 'ManualGate' ? { reason: state.reason, message: state.message } : {};
  }
  if (node.isSilent === true && job.startTime !== undefined) {
    const message = 'the node does not report, so the state of its Pod is unknown';
    return { reason: notReporting, message };
  }
  const said = saidOf(situation, node);
  return holdUpOf(situation, said, job) ?? {};
}

function withoutJob(
  situation: Situation,
  node: ObservedNode,
  attempt: number,
  {
    jobName,
    cancelledFor,
  }: { readonly jobName: string; readonly cancelledFor: string | undefined },
): NodeRecord {
  if (situation.excluded.has(node.name)) return { node, state: 'Excluded', attempt };
  const completionTime = rfc3339(situation.nowMs);
  if (cancelledFor !== undefined) {
    const message = `Job ${jobName} was deleted ${cancelledFor}`;
    return { node, state: 'Cancelled', attempt, reason: 'Cancelled', message, completionTime };
  }
  const message = shortened(vanished(situation.namespace, jobName));
  return { node, state: 'Failed', attempt, reason: 'ChildDeleted', message, completionTime };
}

function notStarted(
  situation: Situation,
  node: ObservedNode,
  entry: LedgerEntry | undefined,
): NodeRecord {
  const isRetired = entry?.state === 'Retired';
  const known = entry?.attempt ?? 0;
  if (situation.excluded.has(node.name)) return { node, state: 'Excluded', attempt: known };
  const attempt = isRetired ? known + 1 : known;
  const earlier = situation.unfinished.get(node.uid);
  if (earlier !== undefined && runOf(earlier).attempt < attempt) {
    return leaving(node, earlier, attempt);
  }
  const { skip } = node;
  if (skip !== undefined) return skipped(node, attempt, skip, entry?.state === 'Retrying');
  const said = saidOf(situation, node);
  const wasBlocked =
    situation.entries.get(node.name)?.state === 'Blocked' && isRefusal(said.reason);
  return { node, state: 'Waiting', attempt, ...(wasBlocked ? { ...said, isBlocked: true } : {}) };
}

/** A requested retry is kept even if the node is cordoned. */
function skipped(
  node: ObservedNode,
  attempt: number,
  { reason, message }: NonNullable<ObservedNode['skip']>,
  isRetry: boolean,
): NodeRecord {
  if (isRetry) return { node, state: 'Waiting', attempt, reason, message, isBlocked: true };
  if (reason === unselected) return { node, state: 'Unselected', attempt };
  return { node, state: 'Skipped', attempt, reason, message };
}

type Said = Pick<NodeRecord, 'reason' | 'message' | 'completionTime'>;

/** An entry for another machine of the same name says nothing about this end. */
function saidOfEnd(situation: Situation, node: ObservedNode, state: LedgerEntry['state']): Said {
  const entry = situation.entries.get(node.name);
  return entry?.state === state ? saidOf(situation, node) : {};
}

function saidOf({ entries }: Situation, { name }: ObservedNode): Said {
  const { reason, message, completionTime } = entries.get(name) ?? {};
  return {
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
    ...(completionTime === undefined ? {} : { completionTime }),
  };
}

function endedAt({ completionTime }: { readonly completionTime?: string }) {
  return completionTime === undefined ? {} : { completionTime };
}

export function inState(
  records: readonly NodeRecord[],
  ...states: readonly NodeState[]
): readonly NodeRecord[] {
  return records.filter(({ state }) => states.includes(state));
}

/** Nodes that failed. Those last whose Jobs were deleted because of the others, which are the cause. */
export function failuresOf(records: readonly NodeRecord[]): readonly NodeRecord[] {
  return [...inState(records, 'Failed'), ...inState(records, 'Cancelled')];
}

/** Nodes that have to run it, and those that did. */
export function desiredOf(records: readonly NodeRecord[]): readonly NodeRecord[] {
  return inState(records, 'Succeeded', 'Failed', 'Cancelled', 'Active', 'Waiting');
}

/** Counts Jobs that may have Pods, and created Jobs that are not in the view yet. */
export function takenSlots({ snapshot }: Situation, records: readonly NodeRecord[]): number {
  const unseen = records.filter(({ state, job }) => state === 'Active' && job === undefined);
  return snapshot.jobs.filter(isUnfinished).length + unseen.length;
}
