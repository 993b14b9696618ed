/** Finds the steps that start now, and the reasons for which others wait. */
import type { FlowStep, StepRecord } from '#shared/api/job-flow.ts';
import { jobFlowDefaults } from '#shared/api/job-flow.ts';
import { childJobName, isDns1123Label } from '#shared/domain/names.ts';
import type { CreateOperation } from '#shared/domain/plan.ts';
import { parseTime } from '#shared/domain/time.ts';
import { meetsSuccessCriteria } from '#shared/domain/child-state.ts';
import { attemptOf, changed, isNotStarted, listed, notStarted } from './record.ts';
import { isRefused, refusesAll, rejectionOf } from './refusals.ts';
import type { ManualRetry } from './retry.ts';
import { jobWeight, mostWeight } from '#shared/render/job-weight.ts';
import { renderJob, type Attempt } from '#shared/render/render-job.ts';
import { dependenciesOf, isSuspended, type Situation } from './situation.ts';
import { isLimited, placedSteps, withoutPlace } from './places.ts';
import { failedRecord, type Step } from './steps.ts';
import { templateFault } from '#shared/render/template-fault.ts';
import type { Templates } from './templates.ts';

export interface Starts {
  readonly steps: readonly Step[];
  readonly creates: readonly CreateOperation[];
  /** Some steps could start, but not in this decision: decide again at once. */
  readonly isDeferred: boolean;
}

type Readiness =
  | { readonly kind: 'start'; readonly attempt: Attempt }
  | { readonly kind: 'wait'; readonly record: StepRecord };

/**
 * Starts every step that can start and has a place, up to a bound per decision. If the API server
 * just refused a create, only the refusals are recorded. It is unknown which other creates went
 * through; the next pass sees them. A retry by hand is recorded before any Job of it is created, so
 * that a newer one may still replace it.
 */
export function startSteps(
  situation: Situation,
  templates: Templates,
  steps: readonly Step[],
  { resetSteps }: Pick<ManualRetry, 'resetSteps'>,
): Starts {
  const satisfied = satisfiedDependencies(steps);
  const probe = probedStep(situation, steps);
  const looks = steps.map((step): Look => {
    const isLookedAt =
      isNotStarted(step.record.state) && (probe === step || !refusesAll(step.record));
    return isLookedAt
      ? { step, readiness: readinessOf(situation, templates, step, satisfied) }
      : { step };
  });
  const ready = looks
    .filter(({ readiness }) => readiness?.kind === 'start')
    .map(({ step }) => step);
  const placed = placedSteps(situation, steps, ready);
  const creates: CreateOperation[] = [];
  let weight = 0;
  const defers = hasRefusedCreates(situation) || resetSteps.length > 0;
  let isDeferred = false;
  const started = looks.map(({ step, readiness }) => {
    if (readiness === undefined) return step;
    if (readiness.kind === 'wait') return { ...step, record: readiness.record };
    if (!placed.has(step)) return withoutPlace(situation, step);
    if (defers) {
      isDeferred ||= !isLimited(situation) || !isRefused(step.record);
      return step;
    }
    if (weight >= mostWeight) {
      isDeferred = true;
      return step;
    }
    weight += weightOf(situation, readiness.attempt);
    creates.push(renderJob(situation.flow, readiness.attempt));
    return { ...step, record: pendingRecord(situation, step.record, readiness.attempt) };
  });
  return { steps: started, creates, isDeferred };
}

function hasRefusedCreates({ snapshot }: Situation): boolean {
  return snapshot.rejections.some(({ uid }) => uid === undefined);
}

function weightOf({ flow: { spec } }: Situation, { step, jobTemplate }: Attempt): number {
  const added = [spec.globalParams, spec.shareVolumeMounts, step.shareVolumeMounts];
  return jobWeight({ template: jobTemplate, pod: jobTemplate.template.spec, added });
}

interface Look {
  readonly step: Step;
  /** Undefined: the step is not considered now. */
  readonly readiness?: Readiness;
}

interface Satisfied {
  readonly complete: ReadonlySet<string>;
  readonly successCriteriaMet: ReadonlySet<string>;
}

function satisfiedDependencies(steps: readonly Step[]): Satisfied {
  const complete = steps.filter(({ record }) => record.state === 'Succeed');
  const criteriaMet = steps.filter(({ job }) => job !== undefined && meetsSuccessCriteria(job));
  return {
    complete: new Set(complete.map(({ spec }) => spec.name)),
    successCriteriaMet: new Set(criteriaMet.map(({ spec }) => spec.name)),
  };
}

/** If permission or quota holds back several steps, one of them tries. The others follow when it succeeds. */
function probedStep(situation: Situation, steps: readonly Step[]): Step | undefined {
  const held = steps.filter(({ record }) => refusesAll(record));
  return held.find(({ record }) => rejectionOf(situation, record) !== undefined) ?? held[0];
}

function readinessOf(
  situation: Situation,
  templates: Templates,
  { spec, record }: Step,
  satisfied: Satisfied,
): Readiness {
  const open = openDependencies(spec, satisfied);
  if (open.length > 0) {
    return wait(record, 'Waiting', 'DependenciesPending', `waiting for ${listed(open)}`);
  }
  if (isSuspended(situation)) {
    return wait(record, 'Waiting', 'FlowSuspended', 'the flow is suspended');
  }
  if ((parseTime(record.nextRetryTime) ?? 0) > situation.nowMs) return { kind: 'wait', record };
  if (rejectionOf(situation, record) !== undefined) return { kind: 'wait', record };
  return withTemplate(situation, templates, spec, record);
}

function withTemplate(
  situation: Situation,
  templates: Templates,
  spec: FlowStep,
  record: StepRecord,
): Readiness {
  const template = templates.of(spec);
  if (template.kind === 'missing') {
    const message = `there is no JobTemplate "${template.template}"`;
    return wait(record, 'Blocked', 'JobTemplateNotFound', message);
  }
  if (templates.holdsAll) {
    const message = `nothing starts before the JobTemplates of all steps exist: ${listed(templates.missing)}`;
    return wait(record, 'Waiting', 'TemplatesPending', message);
  }
  const { jobTemplate, hash: templateHash } = template;
  const attempt: Attempt = {
    step: spec,
    attempt: attemptOf(record),
    jobTemplate,
    templateHash,
  };
  const fault =
    nameFault(situation, attempt) ?? templateFault(situation.flow.spec, spec, jobTemplate);
  if (fault === undefined) return { kind: 'start', attempt };
  const failure = { reason: 'InvalidJob', message: fault, atMs: situation.nowMs };
  return { kind: 'wait', record: failedRecord(record, failure) };
}

/** Retries by hand are unlimited in number, but names are limited in length. */
function nameFault({ flow }: Situation, { step, attempt }: Attempt): string | undefined {
  const name = childJobName(flow.metadata.name, step.name, attempt);
  return isDns1123Label(name) ? undefined : `"${name}" cannot be the name of a Job`;
}

/** Dependencies are checked once, at creation, and not again when a flow is resumed (rule 15). */
function openDependencies(spec: FlowStep, satisfied: Satisfied): readonly string[] {
  const early = (spec.startOn ?? jobFlowDefaults.startOn) === 'SuccessCriteriaMet';
  return dependenciesOf(spec).filter(
    (name) => !satisfied.complete.has(name) && !(early && satisfied.successCriteriaMet.has(name)),
  );
}

function pendingRecord({ flow }: Situation, record: StepRecord, attempt: Attempt): StepRecord {
  return changed(
    { name: record.name, state: 'Pending' },
    {
      jobName: childJobName(flow.metadata.name, record.name, attempt.attempt),
      attempt: attempt.attempt,
      templateHash: attempt.templateHash,
    },
  );
}

/** Keeps the time of a scheduled retry. */
function wait(
  record: StepRecord,
  state: 'Waiting' | 'Blocked',
  reason: string,
  message: string,
): Readiness {
  const { nextRetryTime } = record;
  return { kind: 'wait', record: notStarted(record, state, { reason, message, nextRetryTime }) };
}
