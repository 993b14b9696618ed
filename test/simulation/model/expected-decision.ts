/**
 * What the rules of a JobFlow demand of one decision: what is to be on record after it, what is to be
 * written besides, and when to look again. Read it from here: each rule has a file of its own.
 */
import type { JobFlow, JobFlowStatus } from '#shared/api/job-flow.ts';
import { frozenFields } from '#shared/api/frozen-fields.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { acceptanceOf } from './acceptance.ts';
import { refusedRetry, resetsSteps, wantedRetry } from './attempts-and-retries.ts';
import { deadlineAgainMs } from './deadline.ts';
import { endFindings, findingsOf } from './conditions.ts';
import { afterFailures, cancellations, skipped } from './failure-policy.ts';
import { countersOf, hasBegun, lastEnd, type Summary, summaryOf } from './flow-state.ts';
import { isWaiting, type Look, msOf, recordOf, stamp, type Step, type Told } from './look.ts';
import { afterRefusals, isRefused, type Start, startSteps } from './starting.ts';
import { stepsOf } from './step-states.ts';
import { suspensions } from './suspension.ts';
import { heldBack } from './pods.ts';
import { pins } from './template-resolution.ts';
import { conditionsAfter, type Findings } from './told-conditions.ts';
import { onRecord, type ToldStatus } from './told-status.ts';
import { childTtls, flowGoesMs, hasEndedFlow } from './time-to-live.ts';

export interface Expected {
  readonly told: ToldStatus;
  readonly starts: readonly Start[];
  readonly stopped: readonly KubeObject[];
  readonly resumed: readonly KubeObject[];
  /** Finished Jobs that are given their TTL. */
  readonly expiring: readonly KubeObject[];
  /** Jobs that would go before their result is on record, by a TTL of somebody else. */
  readonly imposed: readonly KubeObject[];
  /** Running Jobs that are deleted for a failed step. */
  readonly cancelled: readonly KubeObject[];
  readonly deletesFlow: boolean;
  /** When to look again although nothing happens, milliseconds since the epoch. */
  readonly againAtMs: readonly number[];
  /** JobTemplates that were needed and not looked for. */
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

/** A deletion may have met a flow that somebody had just changed, milliseconds. */
const deletionReadBackMs = 10_000;

export function expectedDecision(look: Look): Expected {
  const { flow } = look;
  if (flow.metadata.deletionTimestamp !== undefined) {
    return { ...nothing, told: { ...onRecord(flow), state: 'Terminating' }, againAtMs: [] };
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
  const deadlineMs = startDeadlineMs(look.flow, observed);
  if (deadlineMs !== undefined && deadlineMs <= look.atMs) return givenUp(look, observed);
  const begun = startSteps(look, afterFailures(look, afterRefusals(look, observed)));
  const steps = afterFailures(look, begun.steps);
  const told = toldOfRun(look, steps);
  const { wanted, deleted, awaitsRecord } = cancellations(look, steps);
  const { given, imposed } = childTtls(look);
  const againAtMs = [
    ...steps.map((step) => retryAgainMs(look, step)),
    refusalAgainMs(look, steps),
    ...steps.map((step) => heldUpAgainMs(look, step)),
    told.completionTime === undefined ? (startDeadlineMs(look.flow, steps) ?? NaN) : NaN,
    deadlineAgainMs(look, told),
    begun.isPutOff || awaitsRecord ? look.atMs : NaN,
    flowGoesMs(look.flow, told) ?? NaN,
  ];
  return {
    ...suspensions(look, wanted),
    told,
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
 * Once this is on record there is more to do at once: a result gives its Job a TTL, and of a step that
 * runs it is asked from then on why it does not.
 */
export function followsRecord(look: Look, { steps }: ToldStatus): boolean {
  const runs = steps.some(
    ({ name, state }) => state === 'Running' && recordOf(look, name)?.state !== 'Running',
  );
  return runs || childTtls(look).awaited.length > 0;
}

/** What holds a step up is told when it has lasted. */
function heldUpAgainMs(look: Look, step: Step): number {
  const held = heldBack(look, step);
  if (held === undefined) return NaN;
  return held.dueMs > look.atMs ? held.dueMs : (held.againMs ?? NaN);
}

/** The end is on record: what is left is to remove what may go. */
function afterTheEnd(look: Look): Expected {
  const { flow, atMs } = look;
  const goesMs = flowGoesMs(flow, flow.status ?? {});
  if (goesMs !== undefined && goesMs <= atMs && wantedRetry(flow) === undefined) {
    const againAtMs = [atMs + deletionReadBackMs];
    return { ...nothing, told: onRecord(flow), deletesFlow: true, againAtMs };
  }
  const { given, imposed } = childTtls(look);
  const conditions = conditionsAfter(flow.status?.conditions, atMs, retryFinding(flow));
  const told = { ...onRecord(flow), ...noted(flow), conditions };
  return {
    ...nothing,
    told,
    expiring: given,
    imposed,
    againAtMs: goesMs === undefined ? [] : [goesMs],
  };
}

/** Changed after its start, or after the last retry (rule 16): nothing starts or ends, and stopping still works. */
function isChanged({ flow, startedWith }: Look): boolean {
  if (startedWith === undefined) return false;
  return frozenFields.some(
    (name) =>
      flow.spec[name] !== startedWith[name] &&
      (name === 'flows' || JSON.stringify(flow.spec[name]) !== JSON.stringify(startedWith[name])) &&
      (name !== 'flows' || areStepsChanged(flow, startedWith.flows)),
  );
}

/** Of a flow that has failed those may have been corrected that failed or were skipped. */
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
  const told = onRecord(look.flow);
  const { given, imposed } = childTtls(look);
  return {
    ...nothing,
    ...suspensions(look),
    expiring: given,
    imposed,
    told: {
      ...told,
      ...generationOf(look.flow),
      reason,
      conditions: conditionsAfter(look.flow.status?.conditions, look.atMs, {
        Accepted: { isTrue: false, reason },
      }),
    },
    againAtMs: [],
  };
}

/** Cannot be run (rule 19), or could not be started in time: it ends without a start. */
function refusedFlow(look: Look, reason: string): Expected {
  return unstartedEnd(look, { Accepted: { isTrue: false, reason } }, reason, []);
}

function givenUp(look: Look, steps: readonly Step[]): Expected {
  const reason = 'StartDeadlineExceeded';
  const told = steps.map((step) => (isWaiting(step.told) ? skipped(step.told, reason) : step.told));
  return unstartedEnd(look, { Accepted: { isTrue: true, reason: 'Valid' } }, reason, told);
}

function unstartedEnd(
  look: Look,
  findings: Findings,
  reason: string,
  steps: readonly Told[],
): Expected {
  const summary: Summary = { state: 'Failed', reason };
  const told: ToldStatus = {
    ...noted(look.flow),
    ...summary,
    ...ended(look, summary, steps),
    ...(steps.length === 0 ? {} : countersOf(steps)),
    steps,
    pins: {},
    conditions: conditionsAfter(look.flow.status?.conditions, look.atMs, {
      ...findings,
      ...endFindings(summary),
    }),
  };
  const goesMs = flowGoesMs(look.flow, told);
  return { ...nothing, told, againAtMs: goesMs === undefined ? [] : [goesMs] };
}

/** Nothing that was ever started is too late, and nothing that is held back on purpose. */
function startDeadlineMs({ metadata, spec, status }: JobFlow, steps: readonly Step[]) {
  const { startDeadlineSeconds: seconds } = spec;
  if (seconds === undefined || spec.suspend === true || status?.startTime !== undefined)
    return undefined;
  if (steps.some(({ told }) => told.jobName !== undefined)) return undefined;
  return msOf(metadata.creationTimestamp) + seconds * 1_000;
}

function retryAgainMs({ atMs }: Look, { told }: Step): number {
  const dueMs = isWaiting(told) ? msOf(told.nextRetryTime) : NaN;
  return dueMs > atMs ? dueMs : NaN;
}

/** Names soon, permission and quota the more seldom the longer they lack; milliseconds. */
function refusalAgainMs({ flow, atMs }: Look, steps: readonly Step[]): number {
  const reasons = steps.flatMap(({ told }) => (isRefused(told) ? [told.reason ?? ''] : []));
  if (reasons.length === 0) return NaN;
  if (reasons.includes('NameTerminating')) return atMs + 5_000;
  if (reasons.includes('NameConflict')) return atMs + 10_000;
  const blocked = flow.status?.conditions?.find(
    ({ type, status }) => type === 'Blocked' && status === 'True',
  );
  const lastedMs = blocked === undefined ? 0 : atMs - msOf(blocked.lastTransitionTime);
  return atMs + Math.min(60_000, Math.max(5_000, lastedMs));
}

function toldOfRun(look: Look, steps: readonly Step[]): ToldStatus {
  const { flow } = look;
  const told = steps.map((step) => step.told);
  const summary = summaryOf(look, steps);
  const isBegun = hasBegun(flow, told);
  return {
    ...noted(flow),
    ...summary,
    ...(isBegun ? { startTime: firstStart(look) } : {}),
    ...ended(look, summary, told),
    ...countersOf(told),
    steps: told,
    pins: isBegun ? pins(look) : {},
    conditions: conditionsAfter(look.flow.status?.conditions, look.atMs, {
      ...findingsOf(look, steps, summary),
      ...retryFinding(flow),
    }),
  };
}

/** Said of each retry that is asked for. */
function retryFinding(flow: JobFlow): Findings {
  if (wantedRetry(flow) === undefined) return {};
  const reason = refusedRetry(flow);
  return { RetryRefused: { isTrue: reason !== undefined, reason: reason ?? 'Accepted' } };
}

/** A flow starts with its first Job, also where its creator could not record it; a second is no difference. */
function firstStart({ flow, jobs, atMs }: Look): string {
  const known = flow.status?.startTime ?? stamp(atMs);
  const created = [...jobs.values()].map(({ metadata }) => msOf(metadata.creationTimestamp));
  const firstMs = Math.min(...created);
  return firstMs + 1_000 < msOf(known) ? stamp(firstMs) : known;
}

/** An end keeps its time until somebody has its steps run again. */
function ended({ flow, atMs }: Look, { state }: Summary, told: readonly Told[]) {
  if (state !== 'Succeed' && state !== 'Failed') return {};
  const before = flow.status?.state === state && !resetsSteps(flow) ? flow.status : {};
  return { completionTime: before.completionTime ?? lastEnd(told) ?? stamp(atMs) };
}

/** What was taken note of: the generation, and a retry that is asked for by hand. */
function noted(flow: JobFlow): Pick<JobFlowStatus, 'observedGeneration' | 'retryNonce'> {
  const nonce = wantedRetry(flow) ?? flow.status?.retryNonce;
  return { ...generationOf(flow), ...(nonce === undefined ? {} : { retryNonce: nonce }) };
}

function generationOf({ metadata: { generation } }: JobFlow) {
  return generation === undefined ? {} : { observedGeneration: generation };
}
