/** The state of each step by the visible Jobs (rules 9, 10, 11 and 20). */
import type { FlowStep, StepRecord } from '#shared/api/job-flow.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import {
  asRetried,
  attemptOf,
  type Failure,
  failedStep,
  jobName,
  nextAttempt,
} from './attempts-and-retries.ts';
import { endingOf, isBeingDeleted } from './failure-policy.ts';
import { fateOf, jobParts } from './job-fate.ts';
import { failureMentions, heldBack } from './pods.ts';
import { isReported } from './pods-of-a-job.ts';
import {
  isWaiting,
  type Look,
  recordOf,
  msOf,
  stamp,
  type Step,
  type Told,
  without,
} from './look.ts';

/** A deletion is recorded, in a version of its own, before the next attempt. Milliseconds. */
const recordedFirstMs = 1_000;

export function stepsOf(look: Look): readonly Step[] {
  return look.flow.spec.flows.map((spec) => {
    const record: StepRecord = recordOf(look, spec.name) ?? { name: spec.name, state: 'Waiting' };
    return stepOf(look, spec, asRetried(look.flow, record));
  });
}

/**
 * A recorded end stays. Otherwise the attempt's Job decides, recorded or not. A Job that vanished
 * unrecorded still counts, and a dependant's start after the first attempt shows its end.
 */
function stepOf(look: Look, spec: FlowStep, told: Told): Step {
  if (told.state === 'Succeed' || told.state === 'Failed') return { spec, told };
  const name = jobName(look.flow, spec.name, told.attempt);
  const job = look.jobs.get(name);
  if (job !== undefined) return withJob(look, spec, told, job);
  const untold: Told = {
    name: spec.name,
    state: 'Pending',
    jobName: name,
    attempt: attemptOf(told),
  };
  if (isWaiting(told)) {
    const isOver =
      attemptOf(told) === 0 && isAwaited(look, spec.name) && !hasLater(look, spec, told);
    return look.gone.has(name) || isOver ? withoutJob(look, spec, untold) : { spec, told };
  }
  const isUnderWay = ['Pending', 'Running', 'Suspended'].includes(told.state);
  return isUnderWay && look.gone.has(told.jobName ?? name)
    ? withoutJob(look, spec, told)
    : { spec, told };
}

/** A dependant has started, directly or not. */
function isAwaited(look: Look, step: string): boolean {
  const { flows } = look.flow.spec;
  const after = flows.filter(({ dependencies = [] }) => dependencies.includes(step));
  return after.some((other) => hasBegun(look, other) || isAwaited(look, other.name));
}

function hasLater({ jobs }: Look, { name }: FlowStep, told: Told): boolean {
  return [...jobs.values()].some(
    ({ metadata: { labels: of = {} } }) =>
      of[labels.step] === name && Number(of[labels.attempt]) > attemptOf(told),
  );
}

function withJob(look: Look, spec: FlowStep, told: Told, job: KubeObject): Step {
  const known = ofJob(told, job);
  const { state, reason, endedAt } = fateOf(job);
  if (state === 'Failed') {
    const atMs = endedAt === undefined ? look.atMs : msOf(endedAt);
    const mentions = failureMentions(look, spec.name, job);
    return { job, ...failed(look, spec, known, { reason: reason ?? 'Failed', atMs, mentions }) };
  }
  if (state === 'Succeed') {
    return { spec, job, told: { ...known, state, completionTime: endedAt ?? stamp(look.atMs) } };
  }
  // A Job that Millrace deletes is reported so until it is gone.
  if (isBeingDeleted(told)) {
    return { spec, job, told: { ...known, state: 'Running', reason: told.reason! } };
  }
  if (reason !== undefined) return { spec, job, told: { ...known, state, reason } };
  const held = heldBack(look, { spec, job, told: { ...known, state } });
  const isTold = held !== undefined && isReported(held, look.atMs, recordOf(look, spec.name));
  const remark = isTold ? { reason: held.reason, mentions: held.mentions } : {};
  return { spec, job, told: { ...known, state, ...remark } };
}

function ofJob(told: Told, job: KubeObject): Omit<Told, 'reason'> {
  const { metadata } = job;
  const { startTime } = jobParts(job).status;
  const templateHash = told.templateHash ?? metadata.annotations?.[annotations.templateHash];
  return {
    name: told.name,
    state: told.state,
    jobName: metadata.name,
    jobUID: metadata.uid,
    attempt: attemptOf(told),
    ...(startTime === undefined ? {} : { startTime }),
    ...(templateHash === undefined ? {} : { templateHash }),
  };
}

/**
 * Gone before its end was recorded. A next attempt shows that it had failed; otherwise, if a dependant has started,
 * it had succeeded. Otherwise Millrace cancelled it, or it was deleted.
 */
function withoutJob(look: Look, spec: FlowStep, told: Told): Step {
  const { atMs, flow } = look;
  const rest = without(told, 'reason');
  const begun = flow.spec.flows.filter((other) => waitedFor(look, other, spec.name));
  const hasFailed = hasLater(look, spec, told);
  if (isAwaited(look, spec.name) && !hasFailed) {
    const endMs = Math.min(atMs, ...begun.flatMap((other) => beginOf(look, other)));
    return { spec, told: { ...rest, state: 'Succeed', completionTime: stamp(endMs) } };
  }
  const end = endingOf(look, flow.status?.jobStatusList ?? []);
  const isOurs =
    end?.deletes === 'all' || (end?.deletes === 'stopped' && told.state === 'Suspended');
  const why = isBeingDeleted(told) ? told.reason : isOurs ? end.deleting : undefined;
  if (why !== undefined && !hasFailed) {
    const reason = why === 'Cancelling' ? 'Cancelled' : why;
    return { spec, told: failedStep(told, { reason, atMs }) };
  }
  const notBeforeMs = atMs + recordedFirstMs;
  return failed(look, spec, told, { reason: 'ChildDeleted', atMs, notBeforeMs });
}

function waitedFor(look: Look, other: FlowStep, step: string): boolean {
  return other.dependencies?.includes(step) === true && hasBegun(look, other);
}

function hasBegun(look: Look, { name }: FlowStep): boolean {
  const record = recordOf(look, name);
  const isStarted = record !== undefined && !isWaiting(record) && record.state !== 'Skipped';
  return isStarted || look.jobs.has(jobName(look.flow, name, record?.attempt));
}

/** The start of dependants: the step is recorded as ended by then. */
function beginOf(look: Look, { name }: FlowStep): readonly number[] {
  const record = recordOf(look, name);
  const job = look.jobs.get(jobName(look.flow, name, record?.attempt));
  const seen = (job && jobParts(job).status.startTime) ?? record?.startTime;
  const begin = seen ?? job?.metadata.creationTimestamp;
  return begin === undefined ? [] : [msOf(begin)];
}

/** The next attempt may already run, because its creator could not record it. */
function failed(look: Look, spec: FlowStep, told: Told, failure: Failure): Step {
  const next = nextAttempt(spec, told, failure);
  return next === undefined ? { spec, told: failedStep(told, failure) } : stepOf(look, spec, next);
}
