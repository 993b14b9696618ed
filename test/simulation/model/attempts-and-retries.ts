/** The attempts of a step: their number, times and names (rules 3 and 13). */
import type { FlowStep, JobFlow, StepRecord } from '#shared/api/job-flow.ts';
import { annotations } from '#shared/domain/labels.ts';
import { type Step, stamp, type Predicted, without } from './look.ts';

export function jobName(flow: JobFlow, step: string, attempt: number | undefined): string {
  const suffix = attempt === undefined || attempt === 0 ? '' : `-r${attempt}`;
  return `${flow.metadata.name}-${step}${suffix}`;
}

export function attemptOf({ attempt }: Pick<Predicted, 'attempt'>): number {
  return attempt ?? 0;
}

export interface Failure {
  readonly reason: string;
  readonly atMs: number;
  /** The next attempt waits until then, in milliseconds since the epoch. */
  readonly notBeforeMs?: number;
  /** Further content of its message. */
  readonly mentions?: readonly string[];
}

/** Attempts after the first, including manual retries. */
const mostAttempts = 99;

/** The attempt after a failed one. Undefined: none is granted. */
export function nextAttempt(
  { retryPolicy }: FlowStep,
  predicted: Predicted,
  failure: Failure,
): Predicted | undefined {
  const attempt = attemptOf(predicted) + 1;
  if (attempt > Math.min(retryPolicy?.limit ?? 0, mostAttempts)) return undefined;
  const dueMs = failure.atMs + waitSeconds(retryPolicy, attempt) * 1_000;
  const wholeMs = Math.ceil(Math.max(dueMs, failure.notBeforeMs ?? 0) / 1_000) * 1_000;
  return {
    name: predicted.name,
    state: 'Waiting',
    attempt,
    reason: 'RetryBackoff',
    nextRetryTime: stamp(wholeMs),
    mentions: [
      `retry ${attempt} of ${retryPolicy?.limit ?? 0}`,
      failure.reason,
      ...(failure.mentions ?? []),
    ],
  };
}

/** Each wait is the previous one times the factor, up to the cap. */
export function waitSeconds(policy: FlowStep['retryPolicy'], attempt: number): number {
  const { backoffSeconds = 10, factor = 2, capSeconds = 300 } = policy ?? {};
  let seconds = backoffSeconds;
  for (let wait = 2; wait <= attempt && seconds < capSeconds; wait += 1) seconds *= factor;
  return Math.min(seconds, capSeconds);
}

export function failedStep(
  predicted: Predicted,
  { reason, atMs, mentions = [] }: Failure,
): Predicted {
  const rest = without(predicted, 'nextRetryTime', 'mentions');
  return { ...rest, state: 'Failed', reason, completionTime: stamp(atMs), mentions };
}

/** A requested manual retry that is not recorded yet. An empty value requests nothing. */
export function wantedRetry({ metadata, status }: JobFlow): string | undefined {
  const nonce = metadata.annotations?.[annotations.retry]?.slice(0, 1_024);
  return nonce === '' || nonce === status?.retryNonce ? undefined : nonce;
}

/** Failed and skipped steps start again, failed ones with their next attempt: all of them, or the named ones. */
export function asRetried(flow: JobFlow, record: StepRecord): Predicted {
  if (!isLost(record) || !retriedSteps(flow).has(record.name)) return record;
  const attempt = attemptOf(record) + (record.state === 'Failed' ? 1 : 0);
  return { name: record.name, state: 'Waiting', attempt, reason: 'ManualRetry' };
}

export function resetsSteps(flow: JobFlow): boolean {
  return retriedSteps(flow).size > 0;
}

/** Names of the steps that a manual retry starts now. */
export function retriedSteps(flow: JobFlow): ReadonlySet<string> {
  const value = wantedRetry(flow);
  if (value === undefined || refusedRetry(flow) !== undefined) return new Set();
  const records = flow.status?.jobStatusList ?? [];
  const lost = records.filter(isLost).map(({ name }) => name);
  if (isWhole(flow, value)) return new Set(lost);
  const begun = withFollowers(flow, namedIn(value), lost);
  // When no other failed step is left, everything skipped starts again.
  const staysFailed = records.some(({ name, state }) => state === 'Failed' && !begun.has(name));
  return staysFailed ? begun : new Set(lost);
}

/** Why a requested retry is refused. */
export function refusedRetry(flow: JobFlow): string | undefined {
  const value = wantedRetry(flow);
  if (value === undefined) return undefined;
  if (flow.spec.shutdown !== undefined) return 'Shutdown';
  const names = flow.spec.flows.map(({ name }) => name);
  if (!value.includes('@')) {
    const words = value.split(/[^-a-z0-9]+/).filter((word) => Number.isNaN(Number(word)));
    const meansSteps = value.includes(',') || words.some((word) => names.includes(word));
    return meansSteps ? 'UnreadableRetry' : undefined;
  }
  const named = namedIn(value);
  if (value.endsWith('@') || !named.every((name) => /^[a-z0-9-]+$/.test(name))) {
    return 'UnreadableRetry';
  }
  if (!named.every((name) => names.includes(name))) return 'UnknownStep';
  return isWhole(flow, value) ? undefined : notToRetry(flow, named);
}

function notToRetry(flow: JobFlow, named: readonly string[]): string | undefined {
  const records = flow.status?.jobStatusList ?? [];
  const states = named.map((name) => records.find((each) => each.name === name)?.state);
  if (states.includes('Succeed')) return 'StepSucceeded';
  if (!states.every((state) => state === 'Failed' || state === 'Skipped')) return 'StepNotFailed';
  const lost = records.filter(isLost).map(({ name }) => name);
  const begun = withFollowers(flow, named, lost);
  const isStuck = flow.spec.flows.some(
    ({ name, dependencies = [] }) =>
      named.includes(name) && dependencies.some((each) => lost.includes(each) && !begun.has(each)),
  );
  if (isStuck) return 'UpstreamNotRetried';
  const staysFailed = records.some(({ name, state }) => state === 'Failed' && !begun.has(name));
  const isStrict = (flow.spec.failurePolicy ?? 'ContinueIndependent') !== 'ContinueIndependent';
  return isStrict && staysFailed ? 'FailurePolicy' : undefined;
}

/** No steps are named, or nothing ever ran. */
function isWhole({ status }: JobFlow, value: string): boolean {
  return !value.includes('@') || status?.startTime === undefined;
}

function namedIn(value: string): readonly string[] {
  return value.slice(0, value.indexOf('@')).split(',');
}

/** With the skipped steps that depend on them and on no other lost step. */
function withFollowers(
  { spec, status }: JobFlow,
  named: readonly string[],
  lost: readonly string[],
): ReadonlySet<string> {
  const begun = new Set(named);
  const skipped = (status?.jobStatusList ?? []).filter(({ state }) => state === 'Skipped');
  for (let size = 0; size < begun.size;) {
    size = begun.size;
    for (const { name, dependencies = [] } of spec.flows) {
      const isFree = dependencies.every((each) => begun.has(each) || !lost.includes(each));
      const follows = dependencies.some((each) => begun.has(each)) && isFree;
      if (follows && skipped.some((each) => each.name === name)) begun.add(name);
    }
  }
  return begun;
}

function isLost({ state }: StepRecord): boolean {
  return state === 'Failed' || state === 'Skipped';
}

export function namesIn(steps: readonly Step[], state: Predicted['state']): readonly string[] {
  return steps.filter(({ predicted }) => predicted.state === state).map(({ spec }) => spec.name);
}
