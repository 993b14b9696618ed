/** Why nothing new starts: the deadline, failed nodes, and what people want. */
import { isHeldByPolicy } from '../../model/held.ts';
import { msOf } from '../../model/look.ts';
import { ledgerToGoOnFrom, wantedRetry } from './ledger.ts';
import type { DaemonLook } from './look.ts';
import { among, type NodeState } from './node-states.ts';

export interface Hold {
  readonly reason: 'DeadlineExceeded' | 'NodeFailed' | 'Suspended' | 'HeldByPolicy' | 'Paused';
  /** What runs is deleted, and it is over when nothing runs any more. */
  readonly isEnd: boolean;
}

export function holdOf(look: DaemonLook, nodes: readonly NodeState[]): Hold | undefined {
  const { failurePolicy, suspend, paused } = look.daemonJob.spec;
  const hasFailed = among(nodes, 'Failed', 'Cancelled').length > 0;
  if (isOverdue(look)) return { reason: 'DeadlineExceeded', isEnd: true };
  if (hasFailed && failurePolicy === 'FailFast') return { reason: 'NodeFailed', isEnd: true };
  if (suspend === true) {
    const reason = isHeldByPolicy(look.daemonJob.metadata) ? 'HeldByPolicy' : 'Suspended';
    return { reason, isEnd: false };
  }
  if (paused === true) return { reason: 'Paused', isEnd: false };
  if (hasFailed && failurePolicy === 'Pause') return { reason: 'NodeFailed', isEnd: false };
  return undefined;
}

/** Whether a Job that has gone was deleted on purpose: of failures those on record count. */
export function cancels(look: DaemonLook): boolean {
  if (isOverdue(look)) return true;
  const failed = [...ledgerToGoOnFrom(look.daemonJob).values()].some(
    ({ state }) => state === 'Failed',
  );
  return failed && look.daemonJob.spec.failurePolicy === 'FailFast';
}

function isOverdue(look: DaemonLook): boolean {
  const dueMs = deadlineMs(look);
  return dueMs !== undefined && dueMs <= look.atMs;
}

/**
 * Milliseconds since the epoch; undefined: never, or not while it is held back by hand. It begins anew when
 * somebody resumes it or has one that failed try again.
 */
export function deadlineMs({ daemonJob, atMs }: DaemonLook): number | undefined {
  const { spec, status } = daemonJob;
  const { activeDeadlineSeconds: seconds } = spec;
  if (seconds === undefined || status?.startTime === undefined) return undefined;
  if (spec.suspend === true || spec.paused === true) return undefined;
  const suspension = status.conditions?.find(({ type }) => type === 'Suspended');
  const failure = status.conditions?.find(({ type }) => type === 'Failed');
  const turns = [suspension, failure].flatMap((condition) =>
    condition?.status === 'False' ? [msOf(condition.lastTransitionTime)] : [],
  );
  const isTriedAgain = failure?.status === 'True' && wantedRetry(daemonJob) !== undefined;
  const isBegunAnew = suspension?.status === 'True' || isTriedAgain;
  const fromMs = Math.max(msOf(status.startTime), ...turns, isBegunAnew ? atMs : 0);
  return fromMs + seconds * 1_000;
}
