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
  type Predicted,
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
function stepOf(look: Look, spec: FlowStep, predicted: Predicted): Step {
  if (predicted.state === 'Succeed' || predicted.state === 'Failed') return { spec, predicted };
  const name = jobName(look.flow, spec.name, predicted.attempt);
  const job = look.jobs.get(name);
  if (job !== undefined) return withJob(look, spec, predicted, job);
  const unrecorded: Predicted = {
    name: spec.name,
    state: 'Pending',
    jobName: name,
    attempt: attemptOf(predicted),
  };
  if (isWaiting(predicted)) {
    const isOver =
      attemptOf(predicted) === 0 && isAwaited(look, spec.name) && !hasLater(look, spec, predicted);
    return look.gone.has(name) || isOver ? withoutJob(look, spec, unrecorded) : { spec, predicted };
  }
  const isUnderWay = ['Pending', 'Running', 'Suspended'].includes(predicted.state);
  return isUnderWay && look.gone.has(predicted.jobName ?? name)
    ? withoutJob(look, spec, predicted)
    : { spec, predicted };
}

/** A dependant has started, directly or not. */
function isAwaited(look: Look, step: string): boolean {
  const { flows } = look.flow.spec;
  const after = flows.filter(({ dependencies = [] }) => dependencies.includes(step));
  return after.some((other) => hasBegun(look, other) || isAwaited(look, other.name));
}

function hasLater({ jobs }: Look, { name }: FlowStep, predicted: Predicted): boolean {
  return [...jobs.values()].some(
    ({ metadata: { labels: of = {} } }) =>
      of[labels.step] === name && Number(of[labels.attempt]) > attemptOf(predicted),
  );
}

function withJob(look: Look, spec: FlowStep, predicted: Predicted, job: KubeObject): Step {
  const known = ofJob(predicted, job);
  const { state, reason, endedAt } = fateOf(job);
  if (state === 'Failed') {
    const atMs = endedAt === undefined ? look.atMs : msOf(endedAt);
    const mentions = failureMentions(look, spec.name, job);
    return { job, ...failed(look, spec, known, { reason: reason ?? 'Failed', atMs, mentions }) };
  }
  if (state === 'Succeed') {
    return {
      spec,
      job,
      predicted: { ...known, state, completionTime: endedAt ?? stamp(look.atMs) },
    };
  }
  // A Job that Millrace deletes is reported so until it is gone.
  if (isBeingDeleted(predicted)) {
    return { spec, job, predicted: { ...known, state: 'Running', reason: predicted.reason! } };
  }
  if (reason !== undefined) return { spec, job, predicted: { ...known, state, reason } };
  const held = heldBack(look, { spec, job, predicted: { ...known, state } });
  const isShown = held !== undefined && isReported(held, look.atMs, recordOf(look, spec.name));
  const remark = isShown ? { reason: held.reason, mentions: held.mentions } : {};
  return { spec, job, predicted: { ...known, state, ...remark } };
}

function ofJob(predicted: Predicted, job: KubeObject): Omit<Predicted, 'reason'> {
  const { metadata } = job;
  const { startTime } = jobParts(job).status;
  const templateHash = predicted.templateHash ?? metadata.annotations?.[annotations.templateHash];
  return {
    name: predicted.name,
    state: predicted.state,
    jobName: metadata.name,
    jobUID: metadata.uid,
    attempt: attemptOf(predicted),
    ...(startTime === undefined ? {} : { startTime }),
    ...(templateHash === undefined ? {} : { templateHash }),
  };
}

/**
 * Gone before its end was recorded. A next attempt shows that it had failed; otherwise, if a dependant has started,
 * it had succeeded. Otherwise Millrace cancelled it, or it was deleted.
 */
function withoutJob(look: Look, spec: FlowStep, predicted: Predicted): Step {
  const { atMs, flow } = look;
  const rest = without(predicted, 'reason');
  const begun = flow.spec.flows.filter((other) => waitedFor(look, other, spec.name));
  const hasFailed = hasLater(look, spec, predicted);
  if (isAwaited(look, spec.name) && !hasFailed) {
    const endMs = Math.min(atMs, ...begun.flatMap((other) => beginOf(look, other)));
    return { spec, predicted: { ...rest, state: 'Succeed', completionTime: stamp(endMs) } };
  }
  const end = endingOf(look, flow.status?.jobStatusList ?? []);
  const isOurs =
    end?.deletes === 'all' || (end?.deletes === 'stopped' && predicted.state === 'Suspended');
  const why = isBeingDeleted(predicted) ? predicted.reason : isOurs ? end.deleting : undefined;
  if (why !== undefined && !hasFailed) {
    const reason = why === 'Cancelling' ? 'Cancelled' : why;
    return { spec, predicted: failedStep(predicted, { reason, atMs }) };
  }
  const notBeforeMs = atMs + recordedFirstMs;
  return failed(look, spec, predicted, { reason: 'ChildDeleted', atMs, notBeforeMs });
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
function failed(look: Look, spec: FlowStep, predicted: Predicted, failure: Failure): Step {
  const next = nextAttempt(spec, predicted, failure);
  return next === undefined
    ? { spec, predicted: failedStep(predicted, failure) }
    : stepOf(look, spec, next);
}
