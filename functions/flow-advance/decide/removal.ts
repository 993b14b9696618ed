/** Steps whose Jobs are deleted because the flow ends early: what they say until the Job is gone, and afterwards. */
import type { StepRecord } from '#shared/api/job-flow.ts';
import { changed } from './record.ts';

/** By the reason of the step while its Job is being deleted. */
const removals = {
  Cancelling: { ended: 'Cancelled', because: 'another step failed' },
  FlowDeadlineExceeded: {
    ended: 'FlowDeadlineExceeded',
    because: 'the deadline of the flow passed (spec.activeDeadlineSeconds)',
  },
  Shutdown: { ended: 'Shutdown', because: 'the flow was shut down (spec.shutdown)' },
} as const;

export type RemovalReason = keyof typeof removals;

/** Such a step stays Running until its Job and Pods are gone; then it is Failed: Failed means nothing runs. */
export function beingRemoved(record: StepRecord, reason: RemovalReason): StepRecord {
  const message = `deleted because ${removals[reason].because}; waiting until it is gone`;
  return changed(record, { state: 'Running', reason, message });
}

/** It keeps saying so until its Job is gone, whatever becomes of the cause. */
export function removalOf({ state, reason = '' }: StepRecord): RemovalReason | undefined {
  return state === 'Running' && Object.hasOwn(removals, reason)
    ? (reason as RemovalReason)
    : undefined;
}

/** How its step ended. */
export function removedBy(
  reason: RemovalReason,
  jobName: string,
): { readonly reason: string; readonly message: string } {
  const { ended, because } = removals[reason];
  return { reason: ended, message: `Job ${jobName} was deleted because ${because}` };
}
