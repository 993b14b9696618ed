/** Why nothing new starts: a shutdown, the deadline, failed nodes, or a user's suspension. */
import { isHeldByPolicy } from '../../model/held.ts';
import { isEndingLate, timeIsUpMs } from '../../model/deadline.ts';
import { conditionsOn } from '../../model/predicted-conditions.ts';
import { grantedRetry, ledgerToGoOnFrom } from './ledger.ts';
import type { DaemonLook } from './look.ts';
import { among, type NodeState } from './node-states.ts';

export interface Hold {
  readonly reason:
    'Shutdown' | 'DeadlineExceeded' | 'NodeFailed' | 'Suspended' | 'HeldByPolicy' | 'Paused';
  /** It ends when nothing runs any more. */
  readonly isEnd: boolean;
  /** The remaining Jobs that are deleted. Absent: all if it is the end, else none. */
  readonly deletes?: 'stopped';
}

export function holdOf(look: DaemonLook, nodes: readonly NodeState[]): Hold | undefined {
  const { failurePolicy, suspend, paused, shutdown } = look.daemonJob.spec;
  // A Job that a shutdown deletes is not a failure of its node.
  const hasFailed =
    among(nodes, 'Failed').length > 0 ||
    (shutdown === undefined && among(nodes, 'Cancelled').length > 0);
  if (shutdown === 'Terminate') return { reason: 'Shutdown', isEnd: true };
  if (isOverdue(look)) return { reason: 'DeadlineExceeded', isEnd: true };
  if (hasFailed && failurePolicy === 'FailFast') return { reason: 'NodeFailed', isEnd: true };
  if (shutdown === 'Stop') return { reason: 'Shutdown', isEnd: true, deletes: 'stopped' };
  if (suspend === true) {
    const reason = isHeldByPolicy(look.daemonJob.metadata) ? 'HeldByPolicy' : 'Suspended';
    return { reason, isEnd: false };
  }
  if (paused === true) return { reason: 'Paused', isEnd: false };
  if (hasFailed && failurePolicy === 'Pause') return { reason: 'NodeFailed', isEnd: false };
  return undefined;
}

/** Whether a missing Job was deleted on purpose; only recorded failures count. */
export function cancels(look: DaemonLook): boolean {
  if (isOverdue(look) || look.daemonJob.spec.shutdown !== undefined) return true;
  const failed = [...ledgerToGoOnFrom(look.daemonJob).values()].some(
    ({ state }) => state === 'Failed',
  );
  return failed && look.daemonJob.spec.failurePolicy === 'FailFast';
}

function isOverdue(look: DaemonLook): boolean {
  const dueMs = deadlineMs(look);
  return (dueMs !== undefined && dueMs <= look.atMs) || isEndingLate(look.daemonJob.status);
}

/** Milliseconds since the epoch. Undefined: never, or not while a user holds it. */
export function deadlineMs({ daemonJob, atMs }: DaemonLook): number | undefined {
  const { spec, status } = daemonJob;
  const clock = {
    seconds: spec.activeDeadlineSeconds,
    startTime: status?.startTime,
    conditions: conditionsOn(status?.conditions),
    isHeldBack: spec.suspend === true || spec.paused === true,
    isTriedAgain: grantedRetry(daemonJob) !== undefined,
  };
  return timeIsUpMs(clock, atMs);
}
