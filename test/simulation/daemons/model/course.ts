/** The state of the whole, which follows from its nodes, with its start and end. */
import type { DaemonJobStatus } from '#shared/api/daemon-job.ts';
import { holdWords } from '../../model/held.ts';
import { msOf, stamp } from '../../model/look.ts';
import type { Hold } from './holds.ts';
import { grantedRetry, ledgerToGoOnFrom } from './ledger.ts';
import type { DaemonLook } from './look.ts';
import { among, desired, type NodeState } from './node-states.ts';
import { taken } from './starting.ts';

export interface Course {
  readonly state: NonNullable<DaemonJobStatus['state']>;
  readonly reason?: string | undefined;
  readonly mentions?: readonly string[] | undefined;
}

export function courseOf(
  look: DaemonLook,
  nodes: readonly NodeState[],
  hold: Hold | undefined,
): Course {
  const end = endOf(look, nodes, hold);
  if (end !== undefined) return end;
  const waiting = among(nodes, 'Waiting');
  if (hold?.reason === 'Shutdown' || hold?.reason === 'DeadlineExceeded') {
    const { suspend, paused } = look.daemonJob.spec;
    const isHeld = suspend === true || paused === true;
    const reason = hold.reason === 'Shutdown' ? 'ShuttingDown' : hold.reason;
    return { state: isHeld ? 'Suspended' : 'Running', reason };
  }
  if (hold?.reason === 'Suspended') return { state: 'Suspended', reason: hold.reason };
  if (hold?.reason === 'HeldByPolicy') {
    const { mentions } = holdWords(look.daemonJob.metadata);
    return { state: 'Suspended', reason: hold.reason, mentions };
  }
  if (hold?.isEnd === false && waiting.length > 0) {
    return { state: 'Suspended', reason: hold.reason };
  }
  const held =
    waiting.find(({ isBlocked }) => isBlocked) ??
    among(nodes, 'Active').find(({ reason }) => reason !== undefined);
  const obstacle =
    held === undefined
      ? {}
      : { reason: held.reason, mentions: [held.node.metadata.name, ...(held.mentions ?? [])] };
  const state = hasStarted(look, nodes) ? 'Running' : 'Pending';
  return { state, ...noNodes(nodes), ...obstacle };
}

/** Undefined: it continues, because something runs or can still start. */
function endOf(
  look: DaemonLook,
  nodes: readonly NodeState[],
  hold: Hold | undefined,
): Course | undefined {
  const { status, spec } = look.daemonJob;
  const isOnRecord = status?.state === 'Succeed' || status?.state === 'Failed';
  if (among(nodes, 'Active').length > 0) return undefined;
  if (!isOnRecord && taken(look, nodes) > 0) return undefined;
  const isCutShort = hold?.reason === 'Shutdown' || hold?.reason === 'DeadlineExceeded';
  const cut: Course | undefined = isCutShort ? { state: 'Failed', reason: hold.reason } : undefined;
  if (among(nodes, 'Waiting', 'Cancelled').length > 0 && cut !== undefined) return cut;
  if (hold?.isEnd !== true && among(nodes, 'Waiting').length > 0) return undefined;
  const failed = among(nodes, 'Failed', 'Cancelled').map(({ node }) => node.metadata.name);
  if (failed.length > 0) {
    return { state: 'Failed', reason: 'NodeFailed', mentions: failed.slice(0, 8) };
  }
  if (desired(nodes).length > 0) return { state: 'Succeed' };
  // No node is left: it succeeded if it ran or nothing had to run.
  const ledger = [...ledgerToGoOnFrom(look.daemonJob).values()];
  const isEnough = spec.allowEmpty === true || ledger.some(({ state }) => state === 'Succeeded');
  if (isEnough && (hold === undefined || isCutShort)) return { state: 'Succeed' };
  return cut;
}

export function hasStarted({ daemonJob }: DaemonLook, nodes: readonly NodeState[]): boolean {
  return (
    daemonJob.status?.startTime !== undefined ||
    among(nodes, 'Active', 'Succeeded', 'Failed', 'Cancelled').length > 0
  );
}

/** Empty: it has eligible nodes. */
export function noNodes(nodes: readonly NodeState[]): Omit<Course, 'state'> {
  if (desired(nodes).length > 0) return {};
  const counts = Map.groupBy(nodes, ({ reason, state }) => reason ?? state);
  const few = ['there is no node', 'the only node'];
  return {
    reason: 'NoEligibleNodes',
    mentions: [
      few[nodes.length] ?? `none of ${nodes.length} nodes`,
      ...[...counts].map(([why, those]) => `${those.length} ${why}`),
    ],
  };
}

/**
 * It starts with its first Job, even if its creator could not record that. A difference of one second does
 * not count.
 */
export function firstStart({ daemonJob, jobs, atMs }: DaemonLook): string {
  const known = daemonJob.status?.startTime ?? stamp(atMs);
  const firstMs = Math.min(...jobs.map(({ metadata }) => msOf(metadata.creationTimestamp)));
  return firstMs + 1_000 < msOf(known) ? stamp(firstMs) : known;
}

/** An end is the last Job's, and keeps its time until nodes are retried. */
export function ended(
  { daemonJob, atMs }: DaemonLook,
  { state }: Course,
  nodes: readonly NodeState[],
): Pick<DaemonJobStatus, 'completionTime'> {
  if (state !== 'Succeed' && state !== 'Failed') return {};
  const { status } = daemonJob;
  const isKept = status?.state === state && grantedRetry(daemonJob) === undefined;
  if (isKept && status.completionTime !== undefined) {
    return { completionTime: status.completionTime };
  }
  const times = nodes.flatMap(({ completionTime }) => completionTime ?? []).toSorted();
  const isSeenNow = nodes.some(({ isNews, completionTime }) => isNews && completionTime);
  return { completionTime: (isSeenNow ? times.at(-1) : undefined) ?? stamp(atMs) };
}
