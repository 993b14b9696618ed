/** Retries of steps: by `retryPolicy`, and by hand through an annotation (rule 13). */
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

/** Reason of a step that a retry by hand starts again. */
export const startedByHand = 'ManualRetry';

export interface ManualRetry extends RetryOutcome {
  /** The entries to continue from, with failed and skipped steps reset. */
  readonly records: ReadonlyMap<string, StepRecord>;
  readonly resetSteps: readonly string[];
}

/** A new value of the retry annotation starts all failed and skipped steps again, or those it names. */
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

/** Nothing starts again, and the value counts as handled. */
export function refusedRetry(
  { nonce }: Pick<ManualRetry, 'nonce'>,
  recorded: ReadonlyMap<string, StepRecord>,
  refusal: NonNullable<ManualRetry['refusal']>,
): ManualRetry {
  return { nonce, records: recorded, resetSteps: [], isNew: false, refusal };
}

/** Undefined: the entry stays as it is. */
function afterManualRetry(record: StepRecord): StepRecord | undefined {
  const why = { reason: startedByHand, message: 'started again by hand' };
  if (record.state === 'Skipped') return notStarted(record, 'Waiting', why);
  if (record.state !== 'Failed') return undefined;
  return notStarted({ name: record.name, attempt: nextAttempt(record) }, 'Waiting', why);
}

/** A refused attempt left no Job behind. Its number is used up all the same, so no name is used twice. */
function nextAttempt(record: StepRecord): number {
  return attemptOf(record) + 1;
}

export interface Failure {
  readonly reason: string;
  readonly message: string;
  /** When the attempt ended, milliseconds since the epoch. */
  readonly atMs: number;
  /** The earliest start of a retry, milliseconds since the epoch. */
  readonly notBeforeMs?: number;
}

/** A FailJob rule of the template's podFailurePolicy applied, so a retry is useless. */
const finalFailure = 'PodFailurePolicy';

/**
 * The entry of the attempt after a failed one. Undefined: the policy grants none. The wait never
 * exceeds its cap (argo-workflows#15277). Attempts started by hand count towards the limit.
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
