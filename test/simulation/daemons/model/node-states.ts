/** The state of the DaemonJob on each node: its ledger entry, updated by the visible Jobs. */
import type { NodeEntry } from '#shared/api/daemon-job.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { fateOf, jobParts } from '../../model/job-fate.ts';
import { stamp } from '../../model/look.ts';
import {
  endingOf,
  failureMentionsOf,
  type HeldUp,
  untouchedBy,
  heldUpBy,
  isInDoubt,
  isReported,
} from '../../model/pods-of-a-job.ts';
import { excludedBy, isSilent, obstacleOf } from './eligible-nodes.ts';
import { jobName } from './job-name.ts';
import { type Entry, type Ledger, ledgerOn, ledgerToGoOnFrom, machineKey } from './ledger.ts';
import { attemptOn, type DaemonLook, isPlainlyRunning, isRunning, machineOf } from './look.ts';

export interface NodeState {
  readonly node: KubeObject;
  readonly state:
    | 'Succeeded'
    | 'Failed'
    | 'Cancelled'
    /** Its Job runs, or was created and is not visible yet. */
    | 'Active'
    | 'Waiting'
    | 'Skipped'
    | 'Unselected'
    | 'Excluded';
  readonly attempt: number;
  readonly job?: KubeObject | undefined;
  readonly reason?: string | undefined;
  readonly mentions?: readonly string[] | undefined;
  readonly completionTime?: string | undefined;
  /** While it waits: something other than its turn stops it. */
  readonly isBlocked?: boolean;
  /** Its end was not recorded before. */
  readonly isNews?: boolean;
}

/** Temporary refusals of the API server. */
const refusals = [
  ...['NameConflict', 'NameTerminating', 'Forbidden', 'QuotaExceeded', 'Refused'],
  ...['SubmitterUnknown', 'ExemptNamespace'],
];

export function isRefused({ state, isBlocked, reason = '' }: NodeState): boolean {
  return state === 'Waiting' && isBlocked === true && refusals.includes(reason);
}

export function nodeStates(look: DaemonLook, cancels: boolean): readonly NodeState[] {
  const ledger = ledgerToGoOnFrom(look.daemonJob);
  return look.nodes.map((node) => stateOf(look, ledger, node, cancels));
}

function stateOf(look: DaemonLook, ledger: Ledger, node: KubeObject, cancels: boolean): NodeState {
  const entry = ledger.get(machineKey(node.metadata.uid));
  const attempt = entry?.attempt ?? 0;
  // A recorded end stays, whatever happened to its Job.
  if (entry?.state === 'Succeeded') return { node, state: 'Succeeded', attempt };
  if (entry?.state === 'Failed' || entry?.state === 'Cancelled') {
    return { ...saidOf(look, node, entry.state), node, state: entry.state, attempt };
  }
  const job = jobOf(look, node, attempt);
  if (job !== undefined) return withJob(look, node, entry, job);
  // After a removed Job, the next one may exist unrecorded.
  const later = entry?.state === 'Retired' ? jobOf(look, node, attempt + 1) : undefined;
  if (later !== undefined)
    return withJob(look, node, { state: 'Started', attempt: attempt + 1 }, later);
  const name = jobName(look.daemonJob, node.metadata.name, attempt);
  if (look.gone.has(name) && entry?.state !== 'Retired')
    return lost(look, node, { attempt, name, cancels });
  // Created and not visible yet, unless another machine's Job has the name.
  const isTaken = look.jobs.some(({ metadata }) => metadata.name === name);
  if (entry?.state === 'Started' && !isTaken) return { node, state: 'Active', attempt };
  return unstarted(look, node, entry);
}

export function jobOf({ jobs }: DaemonLook, node: KubeObject, attempt: number) {
  return jobs.find((job) => machineOf(job) === node.metadata.uid && attemptOn(job) === attempt);
}

function withJob(
  look: DaemonLook,
  node: KubeObject,
  entry: Entry | undefined,
  job: KubeObject,
): NodeState {
  const attempt = entry?.attempt ?? 0;
  const fate = fateOf(job);
  const common = { node, job, attempt, completionTime: fate.endedAt, isNews: true };
  if (fate.state === 'Succeed') return { ...common, state: 'Succeeded' };
  if (fate.state === 'Failed') {
    const mentions = look.pods === undefined ? [] : failureMentionsOf(job, look.pods);
    return { ...common, state: 'Failed', reason: fate.reason, mentions };
  }
  if (isExcluded(look, node)) return { node, job, state: 'Excluded', attempt };
  if (entry?.state === 'Retired') return awaiting(node, job, attempt);
  return { node, job, state: 'Active', attempt, ...remarkOn(look, node, job) };
}

/** The remark on a Job that has not ended. */
function remarkOn(
  look: DaemonLook,
  node: KubeObject,
  job: KubeObject,
): Pick<NodeState, 'reason' | 'mentions'> {
  const fate = fateOf(job);
  if (fate.state === 'Suspended') {
    return fate.reason === 'ManualGate' ? { reason: fate.reason } : {};
  }
  const { startTime } = jobParts(job).status;
  if (isSilent(node) && startTime !== undefined) return { reason: 'NodeNotReady' };
  const held = heldUpOn(look, node, job);
  return held !== undefined && isReported(held, look.atMs, entryOf(look, node))
    ? { reason: held.reason, mentions: held.mentions }
    : {};
}

function heldUpOn(look: DaemonLook, node: KubeObject, job: KubeObject): HeldUp | undefined {
  const outside = endingOf(job) ?? untouchedBy(job);
  if (outside !== undefined) return outside;
  if (look.pods === undefined || !isDoubtful(look, job)) return undefined;
  return heldUpBy(job, look.pods, { ...look, said: entryOf(look, node)?.reason });
}

/** Its Pods must be read: it failed without a record, or is recorded as running and does not run. */
export function isDoubtful({ daemonJob }: DaemonLook, job: KubeObject): boolean {
  const recorded = ledgerOn(daemonJob).get(machineKey(machineOf(job) ?? ''))?.state;
  if (recorded === 'Failed' || recorded === 'Succeeded') return false;
  return isInDoubt(job, recorded === 'Started' && isPlainlyRunning(job));
}

/** When a hold-up must be reported, in milliseconds since the epoch. */
export function heldUpDueMs(look: DaemonLook, { node, job }: NodeState): number | undefined {
  if (job === undefined) return undefined;
  const held = heldUpOn(look, node, job);
  return held !== undefined && held.dueMs <= look.atMs ? held.againMs : held?.dueMs;
}

interface Loss {
  readonly attempt: number;
  readonly name: string;
  readonly cancels: boolean;
}

/** Its Job was removed before its end. */
function lost(look: DaemonLook, node: KubeObject, { attempt, name, cancels }: Loss): NodeState {
  if (isExcluded(look, node)) return { node, state: 'Excluded', attempt };
  const state = cancels ? 'Cancelled' : 'Failed';
  const reason = cancels ? 'Cancelled' : 'ChildDeleted';
  const completionTime = stamp(look.atMs);
  return { node, state, attempt, reason, mentions: [name], completionTime, isNews: true };
}

function unstarted(look: DaemonLook, node: KubeObject, entry: Entry | undefined): NodeState {
  const known = entry?.attempt ?? 0;
  if (isExcluded(look, node)) return { node, state: 'Excluded', attempt: known };
  // An attempt whose Job was deleted counts.
  const attempt = entry?.state === 'Retired' ? known + 1 : known;
  const earlier = earlierOn(look, node, attempt);
  if (earlier !== undefined) return awaiting(node, earlier, attempt);
  const obstacle = obstacleOf(look.daemonJob.spec, node);
  const waiting = { node, state: 'Waiting', attempt } as const;
  if (obstacle !== undefined) {
    const { reason, mentions } = obstacle;
    if (entry?.state === 'Retrying') return { ...waiting, reason, mentions, isBlocked: true };
    if (reason === 'Unselected') return { node, state: 'Unselected', attempt };
    return { node, state: 'Skipped', attempt, reason, mentions };
  }
  const said = entryOf(look, node);
  const wasRefused = said?.state === 'Blocked' && refusals.includes(said.reason ?? '');
  return wasRefused ? { ...waiting, reason: said.reason, isBlocked: true } : waiting;
}

/** The next attempt waits until this Job is gone. */
function awaiting(node: KubeObject, job: KubeObject, attempt: number): NodeState {
  return { node, job, state: 'Waiting', attempt, reason: 'Leaving', isBlocked: true };
}

/** The first earlier attempt that has not ended. */
function earlierOn({ jobs }: DaemonLook, { metadata }: KubeObject, attempt: number) {
  return jobs
    .filter((job) => machineOf(job) === metadata.uid && attemptOn(job) < attempt && isRunning(job))
    .toSorted((left, right) => attemptOn(left) - attemptOn(right))[0];
}

function isExcluded({ daemonJob }: DaemonLook, { metadata }: KubeObject): boolean {
  return excludedBy(daemonJob.spec).has(metadata.name);
}

function entryOf({ daemonJob }: DaemonLook, { metadata }: KubeObject): NodeEntry | undefined {
  // A removed machine has another entry, possibly with the same name.
  return daemonJob.status?.nodes?.find(
    ({ name, reason }) => name === metadata.name && reason !== 'NodeGone',
  );
}

/** The entry about its end, not about a later machine. */
function saidOf(
  look: DaemonLook,
  node: KubeObject,
  end: NodeState['state'],
): Pick<NodeState, 'reason' | 'completionTime'> {
  const { state, reason, completionTime } = entryOf(look, node) ?? {};
  return state === end ? { reason, completionTime } : {};
}

export function among(
  nodes: readonly NodeState[],
  ...states: readonly NodeState['state'][]
): readonly NodeState[] {
  return nodes.filter(({ state }) => states.includes(state));
}

/** Nodes that should run it, and those that did. */
export function desired(nodes: readonly NodeState[]): readonly NodeState[] {
  return among(nodes, 'Succeeded', 'Failed', 'Cancelled', 'Active', 'Waiting');
}
