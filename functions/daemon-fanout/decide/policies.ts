/** The effect of a shutdown, the deadline, failed nodes and user requests on the other nodes. */
import {
  shutdown,
  type ShutdownMode,
  shuttingDownMessage,
  whatRunsIsDeleted,
} from '#shared/domain/shutdown.ts';
import { deadlinePassed } from '#shared/parents/active-deadline.ts';
import { whySuspended } from '#shared/parents/suspension.ts';
import type { NodeRecord } from './nodes.ts';
import { failuresOf, inState } from './nodes.ts';
import {
  deadlineExceeded,
  failurePolicyOf,
  isOverdue,
  isPaused,
  isSuspended,
  type Situation,
} from './situation.ts';

export interface Hold {
  readonly reason:
    | 'Shutdown'
    | 'DeadlineExceeded'
    | 'NodeFailed'
    | 'Suspended'
    | 'HeldByPolicy'
    | 'Queued'
    | 'Paused';
  readonly message: string;
  /** Of the Jobs that have not ended, these are deleted. */
  readonly removes: 'all' | 'suspended' | 'none';
}

/** The DaemonJob ends as soon as nothing runs any more. Otherwise it is only held back. */
export function ends(hold: Hold | undefined): boolean {
  return hold !== undefined && hold.removes !== 'none';
}

/** Why nothing new starts. Undefined: nodes may start. Uses the current nodes, so a failure counts at once. */
export function holdOf(situation: Situation, records: readonly NodeRecord[]): Hold | undefined {
  const { shutdown: mode } = situation.daemonJob.spec;
  if (mode === 'Terminate') return shutDown(mode);
  if (isOverdue(situation)) {
    const message = `${deadlinePassed}: ${whatRunsIsDeleted}`;
    return { reason: deadlineExceeded, message, removes: 'all' };
  }
  const policy = failurePolicyOf(situation);
  // A Job that a shutdown deleted is no reason to delete the others.
  const [failed] = mode === undefined ? failuresOf(records) : inState(records, 'Failed');
  if (failed !== undefined && policy === 'FailFast') {
    const message = `node ${failed.node.name} failed and the failure policy is FailFast`;
    return { reason: 'NodeFailed', message, removes: 'all' };
  }
  if (mode === 'Stop') return shutDown(mode);
  if (isSuspended(situation)) {
    return { ...whySuspended(situation.daemonJob.metadata, 'Suspended'), removes: 'none' };
  }
  if (isPaused(situation)) {
    return { reason: 'Paused', message: 'spec.paused is true', removes: 'none' };
  }
  if (failed === undefined || policy !== 'Pause') return undefined;
  const message = `node ${failed.node.name} failed and the failure policy is Pause: nothing new starts until failed nodes are retried or the policy is changed`;
  return { reason: 'NodeFailed', message, removes: 'none' };
}

/** Stop deletes suspended Jobs too, because they would never end. */
function shutDown(mode: ShutdownMode): Hold {
  const message = shuttingDownMessage(mode);
  const removes = mode === 'Stop' ? 'suspended' : 'all';
  return { reason: shutdown, message, removes };
}
