/** The effect of failed steps and of an early end of the flow on the others (rules 12, 25 and 26). */
import type { StepRecord, StepState } from '#shared/api/job-flow.ts';
import { descendants } from '#shared/domain/dag.ts';
import { isDeletable } from '#shared/domain/child-state.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import { type EarlyEnd, earlyEndOf, isRemovable } from './early-end.ts';
import { attemptOf, changed, isNotStarted, listed, notStarted } from './record.ts';
import { beingRemoved, removalOf } from './removal.ts';
import { dependenciesOf, type Situation } from './situation.ts';
import { failedRecord, type Step } from './steps.ts';

/** Skips what depends on a failed step. In a flow that ends early nothing new starts, not even a retry. */
export function applyFailurePolicy(situation: Situation, steps: readonly Step[]): readonly Step[] {
  const failed = namesIn(steps, 'Failed');
  const skipped = namesIn(steps, 'Skipped');
  const unreachable = descendants(situation.dag, [...failed, ...skipped]);
  const early = earlyEndOf(
    situation,
    steps.map(({ record }) => record),
  );
  return steps.map((step) => {
    const { record } = step;
    if (isNotStarted(record.state)) {
      if (unreachable.has(step.spec.name)) return skippedStep(step, failed);
      return early === undefined
        ? step
        : { ...step, record: notStartedAnyMore(situation, record, early) };
    }
    if (early === undefined || removalOf(record) !== undefined) return step;
    return isRemovable(early, step.job)
      ? { ...step, record: beingRemoved(record, early.removal) }
      : step;
  });
}

/**
 * Jobs to delete, and those that can be deleted now. An attempt that the status does not know is
 * recorded first: its Job is its only trace, and without it a retry would run the attempt again.
 */
export function jobsToRemove(
  { recorded }: Situation,
  steps: readonly Step[],
): { readonly removed: readonly ObservedJob[]; readonly deletable: readonly ObservedJob[] } {
  const found = steps.flatMap(({ record, job }) =>
    removalOf(record) !== undefined && job !== undefined && isDeletable(job)
      ? [{ name: record.name, job }]
      : [],
  );
  const known = found.filter(({ name, job }) => recorded.get(name)?.jobName === job.name);
  return { removed: found.map(({ job }) => job), deletable: known.map(({ job }) => job) };
}

/** The message names direct dependencies only, so the work stays linear in the edges. */
function skippedStep({ spec, record }: Step, failed: ReadonlySet<string>): Step {
  const culprits = dependenciesOf(spec).filter((name) => failed.has(name));
  const message =
    culprits.length === 0
      ? 'a step that it depends on was skipped'
      : `it depends on ${listed(culprits)}, which failed`;
  return { spec, record: notStarted(record, 'Skipped', { reason: 'UpstreamFailed', message }) };
}

/** Before its first attempt a step is Skipped. Between two attempts it has failed already, so it is Failed. */
function notStartedAnyMore(
  situation: Situation,
  record: StepRecord,
  { skipped, abandoned, message }: EarlyEnd,
): StepRecord {
  const attempt = attemptOf(record);
  if (attempt === 0) return notStarted(record, 'Skipped', { reason: skipped, message });
  const why = { reason: abandoned, message, atMs: situation.nowMs };
  return failedRecord(changed(record, { attempt: attempt - 1 }), why);
}

function namesIn(steps: readonly Step[], state: StepState): ReadonlySet<string> {
  return new Set(steps.filter(({ record }) => record.state === state).map(({ spec }) => spec.name));
}
