/**
 * The rules of a JobFlow for one decision: the record after it, the other writes, and the next look. Start reading
 * here; each rule has a file of its own.
 */
import type { JobFlow, JobFlowStatus } from '#shared/api/job-flow.ts';
import { frozenFields } from '#shared/api/frozen-fields.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { acceptanceOf } from './acceptance.ts';
import { refusedRetry, resetsSteps, wantedRetry } from './attempts-and-retries.ts';
import { deadlineAgainMs, timeIsUpMs } from './deadline.ts';
import { endFindings, findingsOf } from './conditions.ts';
import { afterFailures, cancellations, skipped } from './failure-policy.ts';
import { countersOf, hasBegun, lastEnd, type Summary, summaryOf } from './flow-state.ts';
import { isWaiting, type Look, msOf, recordOf, stamp, type Step, type Predicted } from './look.ts';
import { afterRefusals, isRefused, type Start, startSteps } from './starting.ts';
import { stepsOf } from './step-states.ts';
import { suspensions } from './suspension.ts';
import { heldBack } from './pods.ts';
import { pins } from './template-resolution.ts';
import { conditionsAfter, type Findings } from './predicted-conditions.ts';
import { onRecord, type PredictedStatus } from './predicted-status.ts';
import { childTtls, flowGoesMs, hasEndedFlow } from './time-to-live.ts';

export interface Expected {
  readonly predicted: PredictedStatus;
  readonly starts: readonly Start[];
  readonly stopped: readonly KubeObject[];
  readonly resumed: readonly KubeObject[];
  /** Finished Jobs that get their TTL. */
  readonly expiring: readonly KubeObject[];
  /** Jobs with a foreign TTL that would remove them before their result is recorded. */
  readonly imposed: readonly KubeObject[];
  /** Running Jobs that are deleted because of a failed step. */
  readonly cancelled: readonly KubeObject[];
  readonly deletesFlow: boolean;
  /** When to look again even without an event, in milliseconds since the epoch. */
  readonly againAtMs: readonly number[];
  /** JobTemplates that were needed and not read. */
  readonly unread: readonly string[];
}

const nothing = {
  starts: [],
  stopped: [],
  resumed: [],
  expiring: [],
  imposed: [],
  cancelled: [],
  deletesFlow: false,
  unread: [],
};

/** A deletion may fail because the flow was changed just before. Milliseconds. */
const deletionReadBackMs = 10_000;

export function expectedDecision(look: Look): Expected {
  const { flow } = look;
  if (flow.metadata.deletionTimestamp !== undefined) {
    return { ...nothing, predicted: { ...onRecord(flow), state: 'Terminating' }, againAtMs: [] };
  }
  const neverRan = flow.status?.startTime === undefined;
  const isAskedAnew =
    wantedRetry(flow) !== undefined && refusedRetry(flow) === undefined && neverRan;
  if (hasEndedFlow(flow) && !resetsSteps(flow) && !isAskedAnew) return afterTheEnd(look);
  if (!neverRan && isChanged(look)) return atStandstill(look);
  const fault = neverRan ? acceptanceOf(flow) : undefined;
  return fault === undefined ? whileRunning(look) : refusedFlow(look, fault);
}

function whileRunning(look: Look): Expected {
  const observed = stepsOf(look);
  const hasJob = observed.some((step) => step.predicted.jobName !== undefined);
  const deadlineMs = hasJob ? undefined : startDeadlineMs(look, onRecord(look.flow));
  if (deadlineMs !== undefined && deadlineMs <= look.atMs) return givenUp(look, observed);
  const begun = startSteps(look, afterFailures(look, afterRefusals(look, observed)));
  const steps = afterFailures(look, begun.steps);
  const predicted = predictedOfRun(look, steps);
  const { wanted, deleted, awaitsRecord } = cancellations(look, steps);
  const { given, imposed } = childTtls(look);
  const againAtMs = [
    ...steps.map((step) => retryAgainMs(look, step)),
    refusalAgainMs(look, steps),
    ...steps.map((step) => heldUpAgainMs(look, step)),
    predicted.completionTime === undefined ? (startDeadlineMs(look, predicted) ?? NaN) : NaN,
    deadlineAgainMs(look, predicted),
    begun.isPutOff || awaitsRecord ? look.atMs : NaN,
    flowGoesMs(look.flow, predicted) ?? NaN,
  ];
  return {
    ...suspensions(look, wanted),
    predicted,
    starts: begun.starts,
    expiring: given,
    imposed,
    cancelled: deleted,
    deletesFlow: false,
    againAtMs: againAtMs.filter((ms) => !Number.isNaN(ms)),
    unread: begun.unread,
  };
}

/**
 * After this record more is due at once: a result gives its Job a TTL, and a running step's Pods may be checked.
 */
export function followsRecord(look: Look, { steps }: PredictedStatus): boolean {
  const runs = steps.some(
    ({ name, state }) => state === 'Running' && recordOf(look, name)?.state !== 'Running',
  );
  return runs || childTtls(look).awaited.length > 0;
}

/** A hold-up is reported after it has lasted. */
function heldUpAgainMs(look: Look, step: Step): number {
  const held = heldBack(look, step);
  if (held === undefined) return NaN;
  return held.dueMs > look.atMs ? held.dueMs : (held.againMs ?? NaN);
}

/** The end is recorded. What remains is to delete. */
function afterTheEnd(look: Look): Expected {
  const { flow, atMs } = look;
  const goesMs = flowGoesMs(flow, flow.status ?? {});
  if (goesMs !== undefined && goesMs <= atMs && wantedRetry(flow) === undefined) {
    const againAtMs = [atMs + deletionReadBackMs];
    return { ...nothing, predicted: onRecord(flow), deletesFlow: true, againAtMs };
  }
  const { given, imposed } = childTtls(look);
  const conditions = conditionsAfter(flow.status?.conditions, atMs, retryFinding(flow));
  const predicted = { ...onRecord(flow), ...noted(flow), conditions };
  return {
    ...nothing,
    predicted,
    expiring: given,
    imposed,
    againAtMs: goesMs === undefined ? [] : [goesMs],
  };
}

/** Changed after its start or its last retry (rule 16): nothing starts or ends, but stopping still works. */
function isChanged({ flow, startedWith }: Look): boolean {
  if (startedWith === undefined) return false;
  return frozenFields.some(
    (name) =>
      flow.spec[name] !== startedWith[name] &&
      (name === 'flows' || JSON.stringify(flow.spec[name]) !== JSON.stringify(startedWith[name])) &&
      (name !== 'flows' || areStepsChanged(flow, startedWith.flows)),
  );
}

/** In a failed flow, failed or skipped steps may have been corrected. */
function areStepsChanged({ spec, status }: JobFlow, before: JobFlow['spec']['flows']): boolean {
  const hasFailed = status?.state === 'Failed';
  const lost = (status?.jobStatusList ?? []).filter(
    ({ state }) => hasFailed && (state === 'Failed' || state === 'Skipped'),
  );
  const frozen = (steps: typeof before): string =>
    JSON.stringify(
      steps.map((step) =>
        lost.some(({ name }) => name === step.name) ? [step.name, step.dependencies] : step,
      ),
    );
  return frozen(spec.flows) !== frozen(before);
}

function atStandstill(look: Look): Expected {
  const reason = 'SpecChanged';
  const predicted = onRecord(look.flow);
  const { given, imposed } = childTtls(look);
  return {
    ...nothing,
    ...suspensions(look),
    expiring: given,
    imposed,
    predicted: {
      ...predicted,
      ...generationOf(look.flow),
      reason,
      conditions: conditionsAfter(look.flow.status?.conditions, look.atMs, {
        Accepted: { isTrue: false, reason },
      }),
    },
    againAtMs: [],
  };
}

/** It cannot be run (rule 19) or could not be started in time: it ends without a start. */
function refusedFlow(look: Look, reason: string): Expected {
  return unstartedEnd(look, { Accepted: { isTrue: false, reason } }, reason, []);
}

function givenUp(look: Look, steps: readonly Step[]): Expected {
  const reason = 'StartDeadlineExceeded';
  const predicted = steps.map((step) =>
    isWaiting(step.predicted) ? skipped(step.predicted, reason) : step.predicted,
  );
  return unstartedEnd(look, { Accepted: { isTrue: true, reason: 'Valid' } }, reason, predicted);
}

function unstartedEnd(
  look: Look,
  findings: Findings,
  reason: string,
  steps: readonly Predicted[],
): Expected {
  const summary: Summary = { state: 'Failed', reason };
  const predicted: PredictedStatus = {
    ...noted(look.flow),
    ...summary,
    ...ended(look, summary, steps),
    ...(steps.length === 0 ? {} : countersOf(steps)),
    steps,
    pins: {},
    conditions: conditionsAfter(look.flow.status?.conditions, look.atMs, {
      ...findings,
      Blocked: { isTrue: false, reason: 'NotBlocked' },
      Suspended: { isTrue: false, reason: 'Resumed' },
      ...endFindings(summary),
    }),
  };
  const goesMs = flowGoesMs(look.flow, predicted);
  return { ...nothing, predicted, againAtMs: goesMs === undefined ? [] : [goesMs] };
}

/** A started flow is never too late, and neither is a suspended one. */
function startDeadlineMs({ flow, atMs }: Look, { startTime, conditions }: PredictedStatus) {
  const { metadata, spec } = flow;
  if (startTime !== undefined) return undefined;
  const clock = {
    seconds: spec.startDeadlineSeconds,
    startTime: metadata.creationTimestamp,
    conditions,
    isHeldBack: spec.suspend === true,
    // Without a start, a failed flow is judged again only if it was retried or corrected.
    isTriedAgain: true,
  };
  return timeIsUpMs(clock, atMs);
}

function retryAgainMs({ atMs }: Look, { predicted }: Step): number {
  const dueMs = isWaiting(predicted) ? msOf(predicted.nextRetryTime) : NaN;
  return dueMs > atMs ? dueMs : NaN;
}

/** Names are retried soon, permission and quota less often the longer they are missing. Milliseconds. */
function refusalAgainMs({ flow, atMs }: Look, steps: readonly Step[]): number {
  const reasons = steps.flatMap(({ predicted }) =>
    isRefused(predicted) ? [predicted.reason ?? ''] : [],
  );
  if (reasons.length === 0) return NaN;
  if (reasons.includes('NameTerminating')) return atMs + 5_000;
  if (reasons.includes('NameConflict')) return atMs + 10_000;
  const blocked = flow.status?.conditions?.find(
    ({ type, status }) => type === 'Blocked' && status === 'True',
  );
  const lastedMs = blocked === undefined ? 0 : atMs - msOf(blocked.lastTransitionTime);
  return atMs + Math.min(60_000, Math.max(5_000, lastedMs));
}

function predictedOfRun(look: Look, steps: readonly Step[]): PredictedStatus {
  const { flow } = look;
  const predicted = steps.map((step) => step.predicted);
  const summary = summaryOf(look, steps);
  const isBegun = hasBegun(flow, predicted);
  return {
    ...noted(flow),
    ...summary,
    ...(isBegun ? { startTime: firstStart(look) } : {}),
    ...ended(look, summary, predicted),
    ...countersOf(predicted),
    steps: predicted,
    pins: isBegun ? pins(look) : {},
    conditions: conditionsAfter(look.flow.status?.conditions, look.atMs, {
      ...findingsOf(look, steps, summary),
      ...retryFinding(flow),
    }),
  };
}

/** The condition for each requested retry. */
function retryFinding(flow: JobFlow): Findings {
  if (wantedRetry(flow) === undefined) return {};
  const reason = refusedRetry(flow);
  return { RetryRefused: { isTrue: reason !== undefined, reason: reason ?? 'Accepted' } };
}

/**
 * A flow starts with its first Job, even if its creator could not record that. A difference of one second does not
 * count.
 */
function firstStart({ flow, jobs, atMs }: Look): string {
  const known = flow.status?.startTime ?? stamp(atMs);
  const created = [...jobs.values()].map(({ metadata }) => msOf(metadata.creationTimestamp));
  const firstMs = Math.min(...created);
  return firstMs + 1_000 < msOf(known) ? stamp(firstMs) : known;
}

/** An end keeps its time until steps are retried. */
function ended({ flow, atMs }: Look, { state }: Summary, predicted: readonly Predicted[]) {
  if (state !== 'Succeed' && state !== 'Failed') return {};
  const before = flow.status?.state === state && !resetsSteps(flow) ? flow.status : {};
  return { completionTime: before.completionTime ?? lastEnd(predicted) ?? stamp(atMs) };
}

/** The observed generation and the requested manual retry. */
function noted(flow: JobFlow): Pick<JobFlowStatus, 'observedGeneration' | 'retryNonce'> {
  const nonce = wantedRetry(flow) ?? flow.status?.retryNonce;
  return { ...generationOf(flow), ...(nonce === undefined ? {} : { retryNonce: nonce }) };
}

function generationOf({ metadata: { generation } }: JobFlow) {
  return generation === undefined ? {} : { observedGeneration: generation };
}
