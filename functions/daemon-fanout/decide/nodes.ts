/** What became of every node: its entry in the ledger, moved on by the Jobs that were observed. */
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
  /** Its Job exists and has not ended, or was created and is not in sight yet. */
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
  /** While it waits: its Job cannot be created, or something has to be gone first. */
  readonly isBlocked?: true;
}

export const notReporting = 'NodeNotReady';

/** By name, as the nodes are. */
export function observeNodes(situation: Situation): readonly NodeRecord[] {
  const cancelledFor = whyCancelled(situation);
  return situation.snapshot.nodes.map((node) => observeNode(situation, node, cancelledFor));
}

/** Why Jobs are deleted before their end: of failed nodes by what is on record. */
function whyCancelled(situation: Situation): string | undefined {
  if (isShutDown(situation)) return 'while the DaemonJob was shut down (spec.shutdown)';
  const because = 'because of the failure policy or the deadline';
  if (isOverdue(situation)) return because;
  if (failurePolicyOf(situation) !== 'FailFast') return undefined;
  const hasFailed = [...situation.retry.ledger.values()].some(({ state }) => state === 'Failed');
  return hasFailed ? because : undefined;
}

/**
 * What ended stays over, whatever became of its Job. Otherwise the Job of its attempt decides, also one
 * that the status does not know of yet: owner and labels are the proof.
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
  const jobName = nodeJobName(situation.daemonJob.metadata.name, node.name, attempt);
  if (situation.missing.has(jobName)) {
    return withoutJob(situation, node, attempt, { jobName, cancelledFor });
  }
  // Created, and the view is behind; unless what the create found was the Job of another machine.
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

/** While it waits for the Job of an earlier attempt. */
export const leavingReason = 'Leaving';

/** An earlier attempt is still on its way out: its node was excluded for a while, or was retried by hand. */
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

/** A retry that was asked for is not given up because the node is cordoned. */
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

/** What is said of another machine of its name tells nothing of how it ended. */
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

/** Nodes that are to run it, and those that did. */
export function desiredOf(records: readonly NodeRecord[]): readonly NodeRecord[] {
  return inState(records, 'Succeeded', 'Failed', 'Cancelled', 'Active', 'Waiting');
}

/** Jobs that may have Pods, and those that were created and are not in sight yet. */
export function takenSlots({ snapshot }: Situation, records: readonly NodeRecord[]): number {
  const unseen = records.filter(({ state, job }) => state === 'Active' && job === undefined);
  return snapshot.jobs.filter(isUnfinished).length + unseen.length;
}
