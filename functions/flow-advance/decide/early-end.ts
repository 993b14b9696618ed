/**
 * Why a flow ends before its steps are through, and whether what runs is deleted for it: a failed step (rule 12),
 * `spec.shutdown` (rule 25) or its deadline (rule 26).
 */
import type { StepRecord } from '#shared/api/job-flow.ts';
import { isDeletable } from '#shared/domain/child-state.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import {
  shutdown,
  type ShutdownMode,
  shuttingDown,
  shuttingDownMessage,
  whatRunsIsDeleted,
} from '#shared/domain/shutdown.ts';
import { flowDeadlineExceeded, isOverdue } from './deadline.ts';
import { listed } from './record.ts';
import type { RemovalReason } from './removal.ts';
import { failurePolicyOf, type Situation } from './situation.ts';

export interface EarlyEnd {
  /** Of a step that never started. */
  readonly skipped: string;
  /** Of a step between two attempts, which has failed already. */
  readonly abandoned: string;
  readonly message: string;
  /** Of a step whose Job is deleted. */
  readonly removal: RemovalReason;
  /** Which of the Jobs that have not ended are deleted. */
  readonly removes: 'all' | 'suspended' | 'none';
  /** What the flow says while the rest of it ends. Absent: what it says anyway. */
  readonly tells?: { readonly reason: string; readonly message: string };
}

/** The first cause that holds, those that delete what runs before the others. Undefined: the flow goes on. */
export function earlyEndOf(
  situation: Situation,
  records: readonly StepRecord[],
): EarlyEnd | undefined {
  const { shutdown: mode } = situation.flow.spec;
  if (mode === 'Terminate') return shutDown('all', mode);
  if (isOverdue(situation)) return outOfTime(situation);
  const failed = records.filter(hasFailedItself);
  const policy = failed.length === 0 ? undefined : failurePolicyOf(situation);
  if (policy === 'CancelRunning') return afterFailure(policy, failed, 'all');
  if (mode === 'Stop') return shutDown('suspended', mode);
  return policy === 'FailFast' ? afterFailure(policy, failed, 'none') : undefined;
}

function shutDown(removes: 'all' | 'suspended', mode: ShutdownMode): EarlyEnd {
  return {
    skipped: shutdown,
    abandoned: shutdown,
    message: `spec.shutdown is ${mode}`,
    removal: shutdown,
    removes,
    tells: { reason: shuttingDown, message: shuttingDownMessage(mode) },
  };
}

function outOfTime({ flow }: Situation): EarlyEnd {
  const seconds = flow.spec.activeDeadlineSeconds ?? 0;
  const message = `the flow was not over after ${seconds} s (spec.activeDeadlineSeconds)`;
  return {
    skipped: flowDeadlineExceeded,
    abandoned: flowDeadlineExceeded,
    message,
    removal: flowDeadlineExceeded,
    removes: 'all',
    tells: { reason: flowDeadlineExceeded, message: `${message}: ${whatRunsIsDeleted}` },
  };
}

function afterFailure(
  policy: 'FailFast' | 'CancelRunning',
  failed: readonly StepRecord[],
  removes: 'all' | 'none',
): EarlyEnd {
  return {
    skipped: policy,
    abandoned: 'RetryAbandoned',
    message: `${listed(failed.map(({ name }) => name))} failed and the failure policy is ${policy}`,
    removal: 'Cancelling',
    removes,
  };
}

/** No failure policy asks after a step that only the early end of its flow made fail. */
function hasFailedItself(record: StepRecord): boolean {
  return record.state === 'Failed' && !isCutShort(record);
}

/** It did not run or was deleted, and no failure is the cause. */
function isCutShort(record: StepRecord): boolean {
  return cutShortBy([record]) !== undefined;
}

const cutsShort = [shutdown, flowDeadlineExceeded] as const;

/** Which cause kept some of the steps from their end; a shutdown is the wish of a user and comes first. */
export function cutShortBy(records: readonly StepRecord[]): (typeof cutsShort)[number] | undefined {
  return cutsShort.find((cause) =>
    records.some(
      ({ state, reason }) => (state === 'Failed' || state === 'Skipped') && reason === cause,
    ),
  );
}

export function isRemovable(
  { removes }: EarlyEnd,
  job: ObservedJob | undefined,
): job is ObservedJob {
  if (job === undefined || removes === 'none' || !isDeletable(job)) return false;
  return removes === 'all' || job.suspend;
}
