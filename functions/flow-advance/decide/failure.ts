/** What a failed step means for the others (rule 12). */
import type { StepRecord, StepState } from '#shared/api/job-flow.ts';
import { descendants } from '#shared/domain/dag.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import { isFinishedJob } from '#shared/domain/child-state.ts';
import { attemptOf, changed, isNotStarted, listed, notStarted } from './record.ts';
import { dependenciesOf, failurePolicyOf, type Situation } from './situation.ts';
import { cancelled, failedRecord, type Step } from './steps.ts';

/**
 * - ContinueIndependent: whatever depends on a failed step is skipped, everything else goes on.
 * - FailFast: nothing new starts, not even a retry; what runs finishes.
 * - CancelRunning: as FailFast, and what runs is deleted. Such a step stays Running (`Cancelling`)
 *   until its Job and Pods are gone, then it is Failed (`Cancelled`): Failed means nothing runs.
 */
export function applyFailurePolicy(situation: Situation, steps: readonly Step[]): readonly Step[] {
  const failed = namesIn(steps, 'Failed');
  const skipped = namesIn(steps, 'Skipped');
  const unreachable = descendants(situation.dag, [...failed, ...skipped]);
  const policy = failed.size === 0 ? undefined : failurePolicyOf(situation);
  const stopsAll = policy === 'FailFast' || policy === 'CancelRunning';
  const cancels = policy === 'CancelRunning';
  return steps.map((step) => {
    if (isNotStarted(step.record.state)) {
      if (unreachable.has(step.spec.name)) return skippedStep(step, failed);
      return stopsAll
        ? { ...step, record: notStartedAnyMore(situation, step.record, failed) }
        : step;
    }
    return cancels && isCancellable(step.job) ? { ...step, record: cancelled(step.record) } : step;
  });
}

/**
 * Jobs to delete: those of steps that are being cancelled and are not being deleted yet. An attempt
 * that the status does not know of is written down first: with its Job the only trace of it would go,
 * and a retry would run it a second time.
 */
export function jobsToCancel(
  { recorded }: Situation,
  steps: readonly Step[],
): { readonly deletable: readonly ObservedJob[]; readonly isRecordMissing: boolean } {
  const cancelled = steps.flatMap(({ record, job }) =>
    record.reason === 'Cancelling' && isCancellable(job) ? [{ name: record.name, job }] : [],
  );
  const known = cancelled.filter(({ name, job }) => recorded.get(name)?.jobName === job.name);
  return {
    deletable: known.map(({ job }) => job),
    isRecordMissing: known.length < cancelled.length,
  };
}

function isCancellable(job: ObservedJob | undefined): job is ObservedJob {
  return job !== undefined && job.deletionTimestamp === undefined && !isFinishedJob(job);
}

/** Names what it depends on directly, which keeps this linear in the edges. */
function skippedStep({ spec, record }: Step, failed: ReadonlySet<string>): Step {
  const culprits = dependenciesOf(spec).filter((name) => failed.has(name));
  const message =
    culprits.length === 0
      ? 'a step that it depends on was skipped'
      : `it depends on ${listed(culprits)}, which failed`;
  return { spec, record: notStarted(record, 'Skipped', { reason: 'UpstreamFailed', message }) };
}

/** Between two attempts a step has failed already, so it is Failed; before its first it is Skipped. */
function notStartedAnyMore(
  situation: Situation,
  record: StepRecord,
  failed: ReadonlySet<string>,
): StepRecord {
  const policy = failurePolicyOf(situation);
  const message = `${listed([...failed])} failed and the failure policy is ${policy}`;
  const attempt = attemptOf(record);
  if (attempt === 0) return notStarted(record, 'Skipped', { reason: policy, message });
  const why = { reason: 'RetryAbandoned', message, atMs: situation.nowMs };
  return failedRecord(changed(record, { attempt: attempt - 1 }), why);
}

function namesIn(steps: readonly Step[], state: StepState): ReadonlySet<string> {
  return new Set(steps.filter(({ record }) => record.state === state).map(({ spec }) => spec.name));
}
