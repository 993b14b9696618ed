/** Second chances: by a step's retryPolicy, and by hand through an annotation (rule 13). */
import {
  jobFlowDefaults,
  type FlowStep,
  type JobFlow,
  type StepRecord,
} from '#shared/api/job-flow.ts';
import { backoffMs, type Backoff } from '#shared/domain/backoff.ts';
import { maxAttempt } from '#shared/domain/names.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import { pendingRetry, type RetryOutcome } from '#shared/parents/manual-retry.ts';
import { attemptOf, notStarted } from './record.ts';
import { selectSteps } from './retry-list.ts';

/** Reason of a step that a retry by hand starts anew. */
export const startedByHand = 'ManualRetry';

export interface ManualRetry extends RetryOutcome {
  /** The entries to go on from; those of failed and skipped steps are reset. */
  readonly records: ReadonlyMap<string, StepRecord>;
  readonly resetSteps: readonly string[];
}

/** Failed and skipped steps of a flow whose retry annotation has a new value start anew, all or those it names. */
export function manualRetry(
  { metadata, spec, status }: Pick<JobFlow, 'metadata' | 'spec' | 'status'>,
  recorded: ReadonlyMap<string, StepRecord>,
): ManualRetry {
  const nonce = pendingRetry(metadata, status);
  if (nonce === undefined) {
    return { nonce: status?.retryNonce, records: recorded, resetSteps: [], isNew: false };
  }
  const selection = selectSteps(
    { spec, ...(status === undefined ? {} : { status }) },
    recorded,
    nonce,
  );
  if (selection.kind === 'refused') {
    return refusedRetry({ nonce }, recorded, selection.refusal);
  }
  const records = new Map(recorded);
  for (const [name, record] of recorded) {
    if (selection.kind === 'some' && !selection.steps.has(name)) continue;
    const reset = afterManualRetry(record);
    if (reset !== undefined) records.set(name, reset);
  }
  const resetSteps = [...recorded.keys()].filter(
    (name) => records.get(name) !== recorded.get(name),
  );
  return { nonce, records, resetSteps, isNew: true };
}

/** Nothing starts anew, and the value counts as handled. */
export function refusedRetry(
  { nonce }: Pick<ManualRetry, 'nonce'>,
  recorded: ReadonlyMap<string, StepRecord>,
  refusal: NonNullable<ManualRetry['refusal']>,
): ManualRetry {
  return { nonce, records: recorded, resetSteps: [], isNew: false, refusal };
}

/** Undefined: it stays as it is. */
function afterManualRetry(record: StepRecord): StepRecord | undefined {
  const why = { reason: startedByHand, message: 'started again by hand' };
  if (record.state === 'Skipped') return notStarted(record, 'Waiting', why);
  if (record.state !== 'Failed') return undefined;
  return notStarted({ name: record.name, attempt: nextAttempt(record) }, 'Waiting', why);
}

/** A refused attempt left no Job behind; its number is used up all the same, so no name is used twice. */
function nextAttempt(record: StepRecord): number {
  return attemptOf(record) + 1;
}

export interface Failure {
  readonly reason: string;
  readonly message: string;
  /** When the attempt ended, milliseconds since the epoch. */
  readonly atMs: number;
  /** A retry may not start before, milliseconds since the epoch. */
  readonly notBeforeMs?: number;
}

/** A rule of the template's podFailurePolicy (FailJob) says that trying again is of no use. */
const finalFailure = 'PodFailurePolicy';

/**
 * The entry of the attempt that follows a failed one, or undefined when the policy grants none. The
 * wait is clamped to its cap (argo-workflows#15277). Attempts started by hand count towards the limit.
 */
export function scheduledRetry(
  step: FlowStep,
  record: StepRecord,
  failure: Failure,
): StepRecord | undefined {
  if (failure.reason === finalFailure) return undefined;
  const policy = { ...jobFlowDefaults.retryPolicy, ...step.retryPolicy };
  const attempt = attemptOf(record) + 1;
  if (attempt > Math.min(policy.limit, maxAttempt)) return undefined;
  const backoff: Backoff = {
    initialMs: policy.backoffSeconds * 1000,
    factor: policy.factor,
    capMs: policy.capSeconds * 1000,
  };
  const dueMs = Math.max(failure.atMs + backoffMs(backoff, attempt), failure.notBeforeMs ?? 0);
  return notStarted({ name: record.name, attempt }, 'Waiting', {
    reason: 'RetryBackoff',
    message: `retry ${attempt} of ${policy.limit} follows: attempt ${attempt - 1} failed with ${failure.reason}: ${failure.message}`,
    nextRetryTime: rfc3339(Math.ceil(dueMs / 1000) * 1000),
  });
}
