/** Where a decision differs from the rules. */
import type { JobFlowStatus, StepRecord } from '#shared/api/job-flow.ts';
import type { Decision } from '#shared/domain/decision.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import type { Operation } from '#shared/domain/plan.ts';
import { attemptOf, jobName } from './attempts-and-retries.ts';
import { createdJobFaults, differs } from './created-job.ts';
import { eventsOf } from './events.ts';
import { type Expected, expectedDecision, followsRecord } from './expected-decision.ts';
import { isOnItsWay } from './job-fate.ts';
import { isWaiting, type Look, msOf, type Predicted } from './look.ts';
import { notedAnew, withheldTtl } from './time-to-live.ts';
import type { PredictedEvent } from './predicted-events.ts';
import {
  conditionDifferences,
  eventFaults,
  lacks,
  merged,
  ofJob,
  operationDifferences,
  orderFaults,
  prefixed,
} from './plan-faults.ts';
import type { PredictedConditions } from './predicted-conditions.ts';
import { onRecord, type PredictedStatus } from './predicted-status.ts';
import { isLong, isSameInFew, isShownInFew, storedStatus, whole } from './whole-status.ts';
import { isOrdinaryWait, mayWaitUntilMs } from './worth-reporting.ts';

export interface Verdict {
  readonly faults: readonly string[];
  /** The decision's Events, in the rules' terms. */
  readonly events: readonly PredictedEvent[];
}

export function decisionVerdict(look: Look, decision: Decision): Verdict {
  const expected = expectedDecision(look);
  const operations = decision.plan.flat();
  const write = operations.find((operation) => operation.kind === 'patchStatus');
  const predicted = statusFaults(look, expected, write?.status);
  const wanted = write === undefined ? [] : eventsOf(look.flow, expected.predicted);
  const emitted = operations.filter((operation) => operation.kind === 'emitEvent');
  return {
    faults: [
      ...expected.unread.map((name) => `model, reads: JobTemplate ${name} was not looked for`),
      ...prefixed('model, status', predicted.faults),
      ...prefixed('model, writes', operationFaults(look, expected, operations)),
      ...prefixed('model, order', orderFaults(decision)),
      ...prefixed('model, Events', eventFaults(wanted, emitted)),
      ...prefixed(
        'model, look again',
        againFaults(look, expected, predicted.waitsUntilMs, decision),
      ),
    ],
    events: wanted,
  };
}

/** The record after the decision. Without a status write, only changes that may wait may be missing. */
function statusFaults(look: Look, { predicted }: Expected, patch: JsonObject | undefined) {
  const { flow, atMs } = look;
  const stored = storedStatus(flow);
  const after: JobFlowStatus =
    patch === undefined
      ? (flow.status ?? {})
      : (whole({ ...flow, status: merged(stored, patch) }).status ?? {});
  const came = onRecord({ status: after });
  const before = onRecord(flow);
  const waits = predicted.steps.flatMap((step, index) => {
    const was = before.steps[index];
    if (was?.name !== step.name) return [];
    if (stepFaults(step, was).length === 0 && speaksOf(flow.status?.jobStatusList?.[index], step)) {
      return [];
    }
    if (isLong(flow) && isSameInFew(step, was)) return [];
    return [mayWaitUntilMs(look, was, step)];
  });
  const mayWait =
    waits.every((ms) => ms !== undefined && ms > atMs) &&
    predicted.steps.length === before.steps.length &&
    differences({ ...predicted, ...course(before, predicted) }, { ...before, steps: [] }).length ===
      0;
  if (mayWait && patch === undefined) {
    return { faults: [], waitsUntilMs: Math.min(...waits.map((ms) => ms ?? Infinity)) };
  }
  const isEarly = mayWait && !hasOtherWords(flow.status, after);
  const isDated = patch === undefined || msOf(after.lastUpdateTime) === atMs;
  const faults = [
    ...differences(predicted, came),
    ...unmentioned(predicted, after),
    ...(isDated ? [] : [`written at ${after.lastUpdateTime ?? 'no time'}`]),
  ];
  return {
    faults: isEarly ? [...faults, 'written although it may pass'] : faults,
    waitsUntilMs: Infinity,
  };
}

/** The message of a running step names the Pod that holds it up; for another Pod it must differ. */
function speaksOf(entry: StepRecord | undefined, { state, mentions = [] }: Predicted): boolean {
  if (state !== 'Running' || isShownInFew(entry)) return true;
  return mentions.every((word) => entry?.message?.includes(word) === true);
}

/**
 * The fields that change with the ordinary progress of steps, and those that are only written with other
 * changes.
 */
function course(
  { progress, running, startTime, reason, conditions }: PredictedStatus,
  after: PredictedStatus,
): Partial<PredictedStatus> {
  const isOfItsSteps = (why: string | undefined) => isOrdinaryWait(why) || isOnItsWay(why);
  const saysAsMuch = isOfItsSteps(reason) && isOfItsSteps(after.reason);
  return {
    steps: [],
    ...(saysAsMuch
      ? { reason: reason!, conditions: withItsReason(after.conditions, conditions) }
      : {}),
    ...(progress === undefined ? {} : { progress }),
    ...(running === undefined ? {} : { running }),
    ...(startTime === undefined ? {} : { startTime }),
  };
}

/** The reason of Progressing is written with the steps' changes. */
function withItsReason(
  after: PredictedConditions,
  before: PredictedConditions,
): PredictedConditions {
  const { Progressing } = after;
  const reason = before['Progressing']?.reason;
  if (Progressing === undefined || reason === undefined) return after;
  return { ...after, Progressing: { ...Progressing, reason } };
}

/**
 * A changed message is written at once. Messages of steps whose change may wait come with it, and so does
 * what a step waits for.
 */
function hasOtherWords(before: JobFlowStatus = {}, after: JobFlowStatus): boolean {
  const words = ({ message, conditions = [], jobStatusList = [] }: JobFlowStatus): string =>
    JSON.stringify([
      message,
      conditions.map((condition) => condition.message),
      jobStatusList.map((record) => (hasItsWords(record) ? record.message : '')),
    ]);
  return words(before) !== words(after);
}

function hasItsWords(record: Predicted): boolean {
  return isWaiting(record) && !isOrdinaryWait(record.reason);
}

function differences(expected: PredictedStatus, came: PredictedStatus): readonly string[] {
  const fields = new Set([...Object.keys(expected), ...Object.keys(came)]) as Set<
    keyof PredictedStatus
  >;
  const faults = [...fields].flatMap((field) =>
    field === 'steps' || field === 'conditions' ? [] : differs(field, expected[field], came[field]),
  );
  return [
    ...differs(
      'steps',
      expected.steps.map(({ name }) => name),
      came.steps.map(({ name }) => name),
    ),
    ...expected.steps.flatMap((step, index) => stepFaults(step, came.steps[index])),
    ...faults,
    ...conditionDifferences(expected.conditions, came.conditions),
  ];
}

const stepFields = [
  'state',
  'reason',
  'jobName',
  'jobUID',
  'startTime',
  'completionTime',
  'nextRetryTime',
  'templateHash',
] as const;

function stepFaults(expected: Predicted, came: Predicted | undefined): readonly string[] {
  if (came === undefined) return [`step ${expected.name} has no entry`];
  // The entry of an ended step never changes.
  if (came === expected) return [];
  if (isShownInFew(came) && isSameInFew(expected, came)) return [];
  const faults = stepFields
    .filter((field) => expected[field] !== came[field])
    .flatMap((field) => differs(field, expected[field], came[field]));
  const attempts = differs('attempt', attemptOf(expected), attemptOf(came));
  return [...attempts, ...faults].map((fault) => `step ${expected.name}: ${fault}`);
}

/** The wording is free, but it must name its subjects. */
function unmentioned(
  { steps, conditions }: PredictedStatus,
  after: JobFlowStatus | undefined,
): readonly string[] {
  return [
    ...steps.flatMap(({ name, mentions }, index) => {
      const entry = after?.jobStatusList?.[index];
      return isShownInFew(entry) ? [] : lacks(`step ${name}`, entry?.message, mentions);
    }),
    ...(after?.conditions ?? []).flatMap(({ type, message }) =>
      lacks(`condition ${type}`, message, conditions[type]?.mentions),
    ),
  ];
}

function operationFaults(
  look: Look,
  expected: Expected,
  operations: readonly Operation[],
): readonly string[] {
  const { flow } = look;
  const { starts, stopped, resumed, expiring, imposed, cancelled, deletesFlow } = expected;
  const wanted = [
    ...starts.map(({ step, attempt }) => `create ${jobName(flow, step.name, attempt)}`),
    ...stopped.map(ofJob('suspend')),
    ...resumed.map(ofJob('resume')),
    ...expiring.map((job) => ofJob(`let expire in ${withheldTtl(job)} s`)(job)),
    ...imposed.map((job) => ofJob(`take off the TTL and note ${notedAnew(job)}`)(job)),
    ...cancelled.map(ofJob('delete Foreground')),
    ...(deletesFlow
      ? [
          `delete Background ${flow.metadata.name} ${flow.metadata.uid} ${flow.metadata.resourceVersion}`,
        ]
      : []),
  ];
  const created = operations.filter((operation) => operation.kind === 'create');
  return [
    ...operationDifferences(flow.metadata.uid, wanted, operations),
    ...starts.flatMap((start) => {
      const name = jobName(flow, start.step.name, start.attempt);
      const create = created.find(({ object }) => object.metadata.name === name);
      return create === undefined ? [] : createdJobFaults(flow, start, create.object);
    }),
  ];
}

function againFaults(
  look: Look,
  { againAtMs, predicted }: Expected,
  waitsUntilMs: number,
  { plan, requeueAtMs }: Decision,
): readonly string[] {
  const isWritten = plan.flat().some(({ kind }) => kind === 'patchStatus');
  const followMs = isWritten && followsRecord(look, predicted) ? look.atMs : Infinity;
  const ms = Math.min(...againAtMs, waitsUntilMs, followMs);
  return differs('at', Number.isFinite(ms) ? ms : undefined, requeueAtMs);
}
