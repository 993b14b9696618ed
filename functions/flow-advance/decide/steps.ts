/** Computes each step's new entry in the status from its old entry and the observed Jobs. */
import type { FlowStep, StepRecord } from '#shared/api/job-flow.ts';
import { annotations } from '#shared/domain/labels.ts';
import { childState, type ChildState, isFinishedJob } from '#shared/domain/child-state.ts';
import { failureMessage } from '#shared/domain/failure-cause.ts';
import { holdUpOf } from '#shared/domain/hold-up.ts';
import { childJobName } from '#shared/domain/names.ts';
import { vanished } from '#shared/domain/vanished-child.ts';
import { parseTime, rfc3339 } from '#shared/domain/time.ts';
import { objectName } from '#shared/domain/objects.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import { placeOf } from './hold-up.ts';
import { lostFieldsOf } from './lost-fields.ts';
import { earlyEndOf } from './early-end.ts';
import { attemptOf, changed, isNotStarted, shortened } from './record.ts';
import { beingRemoved, type RemovalReason, removalOf, removedBy } from './removal.ts';
import { scheduledRetry, type Failure } from './retry.ts';
import { isBegun, jobOf, type Situation } from './situation.ts';

/** Recorded for a Job that was seen being deleted before its end. */
const terminating = 'ChildTerminating';

/** One step of the flow during a decision. */
export interface Step {
  readonly spec: FlowStep;
  /** The entry that is wanted in the status. */
  readonly record: StepRecord;
  /** The Job of the recorded attempt, if it exists. */
  readonly job?: ObservedJob;
}

/**
 * A missing Job leaves no proof, and an outdated status would misread its absence. So the loss is
 * recorded, under the version that was read, before the next attempt may start. Milliseconds.
 */
const recordFirstMs = 1_000;

/** In spec order, which is the order of the status (volcano#2851). */
export function observeSteps(
  situation: Situation,
  records: ReadonlyMap<string, StepRecord>,
): readonly Step[] {
  return situation.flow.spec.flows.map((spec) => {
    const record = records.get(spec.name) ?? { name: spec.name, state: 'Waiting' };
    return observeStep(situation, spec, record);
  });
}

/**
 * A step that ended stays over, whatever became of its Job (rule 10). Otherwise the Job of its
 * attempt decides, even if the status does not record it yet: its name is the proof. This includes
 * a skipped step that another worker started from an older view.
 */
function observeStep(situation: Situation, spec: FlowStep, record: StepRecord): Step {
  if (record.state === 'Succeed' || record.state === 'Failed') return { spec, record };
  const job = jobOf(situation, spec.name, attemptOf(record));
  if (job !== undefined) return withJob(situation, spec, record, job);
  const known = isNotStarted(record.state) ? asCreated(situation, record) : record;
  const { jobName } = known;
  const vanished = jobName !== undefined && situation.missing.has(jobName);
  if (vanished) return withoutJob(situation, spec, known, jobName);
  if (isUnrecordedSuccess(situation, spec, record))
    return { spec, record: proven(situation, known) };
  return { spec, record };
}

/** The entry as if the creation of its Job had been recorded. */
function asCreated({ flow }: Situation, { name, attempt }: StepRecord): StepRecord {
  const jobName = childJobName(flow.metadata.name, name, attempt ?? 0);
  return { name, state: 'Pending', jobName, attempt: attempt ?? 0 };
}

/** The Job was never recorded and is gone, but a dependant has begun. */
function isUnrecordedSuccess(situation: Situation, spec: FlowStep, record: StepRecord): boolean {
  const isFirstAttempt = isNotStarted(record.state) && attemptOf(record) === 0;
  return isFirstAttempt && isProven(situation, spec, record);
}

/** A dependant has begun, and no later attempt exists, which would prove a failure. */
function isProven(situation: Situation, spec: FlowStep, record: StepRecord): boolean {
  return situation.awaited().has(spec.name) && !hasLaterAttempt(situation, spec, record);
}

function proven(situation: Situation, record: StepRecord): StepRecord {
  return changed(record, {
    state: 'Succeed',
    reason: undefined,
    message: undefined,
    completionTime: rfc3339(provenEndMs(situation, record.name)),
  });
}

function withJob(situation: Situation, spec: FlowStep, record: StepRecord, job: ObservedJob): Step {
  const state = childState(job);
  const known = startedRecord(record, job);
  const removal = removalOf(record);
  if (removal !== undefined && !isFinishedJob(job)) {
    return { spec, job, record: beingRemoved(known, removal) };
  }
  switch (state.kind) {
    case 'succeeded':
      return {
        spec,
        job,
        record: changed(known, { state: 'Succeed', completionTime: endOf(situation, state) }),
      };
    case 'failed': {
      const atMs = parseTime(state.completionTime) ?? situation.nowMs;
      const message = failureMessage(objectName(situation.flow.metadata).namespace, job, state);
      return failed(situation, spec, known, { reason: state.reason, message, atMs });
    }
    case 'pending':
      return {
        spec,
        job,
        record: changed(known, { state: 'Pending', ...remarkOn(situation, record, job) }),
      };
    case 'running':
      return { spec, job, record: changed(known, runningFields(situation, record, job, state)) };
    case 'suspended': {
      const { reason, message } = state;
      return { spec, job, record: changed(known, { state: 'Suspended', reason, message }) };
    }
  }
}

/** The fields that a Job gives its entry. Reason and message belong to the state and are set anew. */
function startedRecord(record: StepRecord, job: ObservedJob): StepRecord {
  return changed(
    { name: record.name, state: record.state },
    {
      jobName: job.name,
      jobUID: job.uid,
      attempt: attemptOf(record),
      startTime: job.startTime,
      templateHash: record.templateHash ?? job.annotations[annotations.templateHash],
    },
  );
}

/** The Job's own reason comes first. */
function runningFields(
  situation: Situation,
  record: StepRecord,
  job: ObservedJob,
  state: ChildState & { readonly kind: 'running' },
): Partial<StepRecord> {
  const { reason, message } = state;
  if (reason === undefined) {
    return { state: 'Running', ...remarkOn(situation, record, job) };
  }
  return { state: 'Running', reason, ...(message === undefined ? {} : { message }) };
}

function remarkOn(
  situation: Situation,
  record: StepRecord,
  job: ObservedJob,
): Pick<StepRecord, 'reason' | 'message'> | undefined {
  return holdUpOf(placeOf(situation), record, job) ?? lostFieldsOf(situation, record, job);
}

/**
 * The Job is gone and its end was never recorded (rule 20). A later attempt proves that it failed. Else a
 * begun dependant proves that it succeeded. Otherwise Millrace deleted the Job, or something else did.
 */
function withoutJob(
  situation: Situation,
  spec: FlowStep,
  record: StepRecord,
  jobName: string,
): Step {
  if (isProven(situation, spec, record)) return { spec, record: proven(situation, record) };
  const removal = removalOf(record) ?? unrecordedRemoval(situation, record);
  if (removal !== undefined && !hasLaterAttempt(situation, spec, record)) {
    const failure = { ...removedBy(removal, jobName), atMs: situation.nowMs };
    return { spec, record: failedRecord(record, failure) };
  }
  return failed(situation, spec, record, {
    reason: 'ChildDeleted',
    message:
      record.reason === terminating
        ? `Job ${jobName} was deleted before it finished`
        : vanished(objectName(situation.flow.metadata).namespace, jobName),
    atMs: situation.nowMs,
    notBeforeMs: situation.nowMs + recordFirstMs,
  });
}

function hasLaterAttempt(
  situation: Situation,
  { name, retryPolicy }: FlowStep,
  record: StepRecord,
) {
  const limit = retryPolicy?.limit ?? 0;
  for (let attempt = attemptOf(record) + 1; attempt <= limit; attempt += 1) {
    if (jobOf(situation, name, attempt) !== undefined) return true;
  }
  return false;
}

interface StartedDependant {
  readonly record: StepRecord | undefined;
  readonly job: ObservedJob | undefined;
}

function startedDependants(situation: Situation, name: string): readonly StartedDependant[] {
  const dependants = situation.dag.dependants.get(name) ?? [];
  return dependants.flatMap((dependant) => {
    const record = situation.recorded.get(dependant);
    const job = jobOf(situation, dependant, record === undefined ? 0 : attemptOf(record));
    return isBegun(record) || job !== undefined ? [{ record, job }] : [];
  });
}

/**
 * The earliest start of a dependant, even of one with `startOn: SuccessCriteriaMet`: a dependant that
 * waited for the end may exist unseen, and no recorded end may be after its start. Milliseconds since
 * the epoch.
 */
function provenEndMs(situation: Situation, name: string): number {
  const starts = startedDependants(situation, name).flatMap(
    ({ record, job }) => parseTime(begunAt(job, record)) ?? [],
  );
  return Math.min(situation.nowMs, ...starts);
}

/** A Job that has no start time yet was created when its dependencies were over. */
function begunAt(job: ObservedJob | undefined, record: StepRecord | undefined) {
  return job?.startTime ?? record?.startTime ?? job?.creationTimestamp;
}

/** A pass may have deleted Jobs and ended before its status write. */
function unrecordedRemoval(situation: Situation, { state }: StepRecord): RemovalReason | undefined {
  const early = earlyEndOf(situation, [...situation.recorded.values()]);
  if (early === undefined || early.removes === 'none') return undefined;
  return early.removes === 'all' || state === 'Suspended' ? early.removal : undefined;
}

/** The Job of the retry may exist already, if the pass that created it ended before its status write. */
function failed(situation: Situation, spec: FlowStep, record: StepRecord, failure: Failure): Step {
  const retry = scheduledRetry(spec, record, failure);
  if (retry !== undefined) return observeStep(situation, spec, retry);
  const job = jobOf(situation, spec.name, attemptOf(record));
  return { spec, record: failedRecord(record, failure), ...(job === undefined ? {} : { job }) };
}

export function failedRecord(record: StepRecord, failure: Failure): StepRecord {
  return changed(record, {
    state: 'Failed',
    reason: failure.reason,
    message: shortened(failure.message),
    completionTime: rfc3339(failure.atMs),
    nextRetryTime: undefined,
  });
}

function endOf(situation: Situation, state: { readonly completionTime?: string }): string {
  return state.completionTime ?? rfc3339(situation.nowMs);
}
