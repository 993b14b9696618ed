/** Steps whose Jobs are deleted because the flow ends early: their reasons before and after the Job is gone. */
import type { StepRecord } from '#shared/api/job-flow.ts';
import { changed } from './record.ts';

/** Keyed by the reason of the step while its Job is being deleted. */
const removals = {
  Cancelling: { ended: 'Cancelled', because: 'another step failed' },
  FlowDeadlineExceeded: {
    ended: 'FlowDeadlineExceeded',
    because: 'the deadline of the flow passed (spec.activeDeadlineSeconds)',
  },
  Shutdown: { ended: 'Shutdown', because: 'the flow was shut down (spec.shutdown)' },
} as const;

export type RemovalReason = keyof typeof removals;

/** The step stays Running until its Job and Pods are gone. Only then is it Failed: Failed means nothing runs. */
export function beingRemoved(record: StepRecord, reason: RemovalReason): StepRecord {
  const message = `deleted because ${removals[reason].because}; waiting until it is gone`;
  return changed(record, { state: 'Running', reason, message });
}

/** The step keeps this reason until its Job is gone, even if the cause disappears. */
export function removalOf({ state, reason = '' }: StepRecord): RemovalReason | undefined {
  return state === 'Running' && Object.hasOwn(removals, reason)
    ? (reason as RemovalReason)
    : undefined;
}

/** Reason and message of the step once its Job is gone. */
export function removedBy(
  reason: RemovalReason,
  jobName: string,
): { readonly reason: string; readonly message: string } {
  const { ended, because } = removals[reason];
  return { reason: ended, message: `Job ${jobName} was deleted because ${because}` };
}

/** Steps that failed. Those last whose Jobs were deleted because of the others, which are the cause. */
export function failuresOf(records: readonly StepRecord[]): readonly StepRecord[] {
  const failed = records.filter(({ state }) => state === 'Failed');
  const isCancelled = ({ reason }: StepRecord): boolean => reason === removals.Cancelling.ended;
  return [...failed.filter((record) => !isCancelled(record)), ...failed.filter(isCancelled)];
}
