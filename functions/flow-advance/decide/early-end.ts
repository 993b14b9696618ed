/**
 * Why a flow ends early, and which running Jobs are then deleted. The causes are a failed step
 * (rule 12), `spec.shutdown` (rule 25) and the deadline (rule 26).
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
import { failuresOf, type RemovalReason } from './removal.ts';
import { failurePolicyOf, type Situation } from './situation.ts';

export interface EarlyEnd {
  /** Reason of a step that never started. */
  readonly skipped: string;
  /** Reason of a step between two attempts, which has failed already. */
  readonly abandoned: string;
  readonly message: string;
  /** Reason of a step whose Job is deleted. */
  readonly removal: RemovalReason;
  /** Of the Jobs that have not ended, these are deleted. */
  readonly removes: 'all' | 'suspended' | 'none';
  /** The flow reports this while it ends. Absent: its usual report. */
  readonly reports?: { readonly reason: string; readonly message: string };
}

/** The first cause that holds; causes that delete all Jobs come first. Undefined: the flow continues. */
export function earlyEndOf(
  situation: Situation,
  records: readonly StepRecord[],
): EarlyEnd | undefined {
  const { shutdown: mode } = situation.flow.spec;
  if (mode === 'Terminate') return shutDown('all', mode);
  if (isOverdue(situation)) return outOfTime(situation);
  const failed = failuresOf(records).filter((record) => !isCutShort(record));
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
    reports: { reason: shuttingDown, message: shuttingDownMessage(mode) },
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
    reports: { reason: flowDeadlineExceeded, message: `${message}: ${whatRunsIsDeleted}` },
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

/**
 * The step did not run or was deleted because the flow ended early, without a failure of its own. The failure
 * policy ignores it.
 */
function isCutShort(record: StepRecord): boolean {
  return cutShortBy([record]) !== undefined;
}

const cutsShort = [shutdown, flowDeadlineExceeded] as const;

/** The cause that cut steps short. A shutdown comes first, because a user asked for it. */
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
