/** What failed nodes, the deadline and the wishes of the user mean for the others. */
import { heldWords } from '#shared/domain/held-note.ts';
import type { NodeRecord } from './nodes.ts';
import { inState } from './nodes.ts';
import { failurePolicyOf, isOverdue, isPaused, isSuspended, type Situation } from './situation.ts';

export interface Hold {
  readonly reason: 'DeadlineExceeded' | 'NodeFailed' | 'Suspended' | 'HeldByPolicy' | 'Paused';
  readonly message: string;
  /** It is over as soon as nothing runs any more. */
  readonly isEnd: boolean;
}

/**
 * Why nothing new starts; undefined: it may. Failures come from the nodes as they are now, so that they
 * hold in the very decision that sees them.
 */
export function holdOf(situation: Situation, records: readonly NodeRecord[]): Hold | undefined {
  if (isOverdue(situation)) {
    const seconds = situation.daemonJob.spec.activeDeadlineSeconds ?? 0;
    const message = `it was not over after ${seconds} s (activeDeadlineSeconds)`;
    return { reason: 'DeadlineExceeded', message, isEnd: true };
  }
  const policy = failurePolicyOf(situation);
  const [failed] = inState(records, 'Failed', 'Cancelled');
  if (failed !== undefined && policy === 'FailFast') {
    const message = `node ${failed.node.name} failed and the failure policy is FailFast`;
    return { reason: 'NodeFailed', message, isEnd: true };
  }
  if (isSuspended(situation)) {
    const held = heldWords(situation.daemonJob.metadata);
    return held === undefined
      ? { reason: 'Suspended', message: 'spec.suspend is true', isEnd: false }
      : { reason: 'HeldByPolicy', message: held, isEnd: false };
  }
  if (isPaused(situation)) {
    return { reason: 'Paused', message: 'spec.paused is true', isEnd: false };
  }
  if (failed === undefined || policy !== 'Pause') return undefined;
  const message = `node ${failed.node.name} failed and the failure policy is Pause: nothing new starts until failed nodes are retried or the policy is changed`;
  return { reason: 'NodeFailed', message, isEnd: false };
}
