/** Chooses the nodes that get their Job now, with their order, and says what stops the others. */
import type { KubeObject } from '#shared/domain/objects.ts';
import { msOf, stamp } from '../../model/look.ts';
import { obstacleOf } from './eligible-nodes.ts';
import type { Hold } from './holds.ts';
import { jobName } from './job-name.ts';
import { beginsAnew } from './ledger.ts';
import { type DaemonLook, isRunning, machineOf } from './look.ts';
import { among, desired, isRefused, type NodeState } from './node-states.ts';

export interface Started {
  readonly nodes: readonly NodeState[];
  readonly starts: readonly NodeState[];
  /** Jobs of removed machines with the names of Jobs to be created. */
  readonly inTheWay: readonly KubeObject[];
  /** Until when machines may exist that are not visible, in milliseconds since the epoch. */
  readonly doubtsMs: readonly number[];
}

/** An invalid Job stays invalid and its node has failed. Any other refusal may pass. */
export function afterRefusals(look: DaemonLook, nodes: readonly NodeState[]): readonly NodeState[] {
  return nodes.map((each): NodeState => {
    const { node, attempt, state } = each;
    const reason = look.refused.get(nameOf(look, each));
    if (reason === undefined || state !== 'Waiting') return each;
    if (reason === 'Invalid') {
      const completionTime = stamp(look.atMs);
      return { node, attempt, state: 'Failed', reason: 'InvalidJob', completionTime, isNews: true };
    }
    return { node, attempt, state, reason, isBlocked: true };
  });
}

/** A new refusal of the API server is recorded first. */
export function startNodes(
  look: DaemonLook,
  waiting: readonly NodeState[],
  hold: Hold | undefined,
): Started {
  if (hold !== undefined) return { nodes: waiting, starts: [], inTheWay: [], doubtsMs: [] };
  const inTheWay: KubeObject[] = [];
  const doubtsMs: number[] = [];
  const nodes = waiting.map((each) => behindHolder(look, each, { inTheWay, doubtsMs }));
  const open = nodes.filter(
    ({ state, job, node }) =>
      state === 'Waiting' &&
      job === undefined &&
      obstacleOf(look.daemonJob.spec, node) === undefined,
  );
  // By name; last refused ones last.
  const order = [
    ...open.filter(({ isBlocked }) => isBlocked !== true),
    ...open.filter(({ isBlocked }) => isBlocked === true),
  ];
  const isHeldBack = look.refused.size > 0 || beginsAnew(look.daemonJob);
  const starts = isHeldBack ? [] : order.slice(0, slots(look, nodes));
  return {
    nodes: nodes.map((each) =>
      starts.includes(each) ? { node: each.node, attempt: each.attempt, state: 'Active' } : each,
    ),
    starts,
    inTheWay,
    doubtsMs,
  };
}

function nameOf({ daemonJob }: DaemonLook, { node, attempt }: NodeState): string {
  return jobName(daemonJob, node.metadata.name, attempt);
}

/** The holder of its Job's name: another node, or a former machine of the same name. */
function behindHolder(
  look: DaemonLook,
  each: NodeState,
  { inTheWay, doubtsMs }: { readonly inTheWay: KubeObject[]; readonly doubtsMs: number[] },
): NodeState {
  if (each.state !== 'Waiting' || each.reason === 'Leaving') return each;
  const name = nameOf(look, each);
  const job = look.jobs.find(({ metadata }) => metadata.name === name);
  if (job === undefined) return each;
  const { node, attempt, state } = each;
  const held = { node, attempt, state, job, mentions: [name], isBlocked: true };
  const isThere = look.nodes.some(({ metadata }) => metadata.uid === machineOf(job));
  if (isThere) return { ...held, reason: 'NameConflict' };
  if (job.metadata.deletionTimestamp === undefined) {
    const doubtMs = mayBeThereUntilMs(look, node, job);
    if (doubtMs === undefined) inTheWay.push(job);
    else doubtsMs.push(doubtMs);
  }
  return { ...held, reason: 'Replacing' };
}

/**
 * Until when a Job's machine may exist although the view shows none or another of its name. This applies if
 * that node is older than the Job and the Job is new. Milliseconds since the epoch.
 */
export function mayBeThereUntilMs(
  { atMs }: DaemonLook,
  node: KubeObject | undefined,
  job: KubeObject,
): number | undefined {
  const jobMs = msOf(job.metadata.creationTimestamp);
  const isYoung = atMs < jobMs + 60_000;
  const isOlder = msOf(node?.metadata.creationTimestamp) < jobMs;
  return isOlder && isYoung ? jobMs + 60_000 : undefined;
}

/** Every Job that may have Pods takes a slot, and so does a created one that is not visible yet. */
function slots(look: DaemonLook, nodes: readonly NodeState[]): number {
  const { parallelism } = look.daemonJob.spec;
  if (parallelism === undefined) return nodes.length;
  const share = Number(String(parallelism).replace('%', '')) / 100;
  const most =
    typeof parallelism === 'number' ? parallelism : Math.ceil(share * desired(nodes).length);
  return Math.max(0, most - taken(look, nodes));
}

export function taken({ jobs }: DaemonLook, nodes: readonly NodeState[]): number {
  const unseen = among(nodes, 'Active').filter(({ job }) => job === undefined);
  return jobs.filter(isRunning).length + unseen.length;
}

/** One, two, four and so on, so that a refusal costs one request. */
export function slowStart(names: readonly string[]): readonly (readonly string[])[] {
  const stages: (readonly string[])[] = [];
  let rest = names;
  for (let size = 1; rest.length > 0; size = Math.min(128, 2 * size)) {
    stages.push(rest.slice(0, size));
    rest = rest.slice(size);
  }
  return stages;
}

/**
 * When to ask again, in milliseconds since the epoch. Undefined: nothing is refused. At once while others
 * may still be created.
 */
export function refusalAgainMs(look: DaemonLook, nodes: readonly NodeState[]): number | undefined {
  const { daemonJob, refused, atMs } = look;
  const reasons = nodes.filter(isRefused).map(({ reason = '' }) => reason);
  if (reasons.length === 0) return undefined;
  const ofAll = reasons.filter((reason) => !reason.startsWith('Name'));
  const mayOthers = refused.size > 1 || ofAll.length < 3;
  if (refused.size > 0 && mayOthers && areLeft(nodes)) return atMs;
  if (reasons.includes('NameTerminating')) return atMs + 5_000;
  if (reasons.includes('NameConflict')) return atMs + 10_000;
  const blocked = daemonJob.status?.conditions?.find(
    ({ type, status }) => type === 'Blocked' && status === 'True',
  );
  const lastedMs = blocked === undefined ? 0 : atMs - msOf(blocked.lastTransitionTime);
  return atMs + Math.min(60_000, Math.max(5_000, lastedMs));
}

/** Whether nodes wait only for their turn. */
export function areLeft(nodes: readonly NodeState[]): boolean {
  return among(nodes, 'Waiting').some(({ isBlocked }) => isBlocked !== true);
}
