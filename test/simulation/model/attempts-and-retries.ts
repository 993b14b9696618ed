/** How often a step is tried, when, and under which name (rules 3 and 13). */
import type { FlowStep, JobFlow, StepRecord } from '#shared/api/job-flow.ts';
import { annotations } from '#shared/domain/labels.ts';
import { type Step, stamp, type Told, without } from './look.ts';

export function jobName(flow: JobFlow, step: string, attempt: number | undefined): string {
  const suffix = attempt === undefined || attempt === 0 ? '' : `-r${attempt}`;
  return `${flow.metadata.name}-${step}${suffix}`;
}

export function attemptOf({ attempt }: Pick<Told, 'attempt'>): number {
  return attempt ?? 0;
}

export interface Failure {
  readonly reason: string;
  readonly atMs: number;
  /** The next attempt has to wait for this, milliseconds since the epoch. */
  readonly notBeforeMs?: number;
  /** What its message says besides. */
  readonly mentions?: readonly string[];
}

/** Attempts after the first, those by hand counted with them. */
const mostAttempts = 99;

/** The attempt that follows a failed one; undefined: none is granted. */
export function nextAttempt(
  { retryPolicy }: FlowStep,
  told: Told,
  failure: Failure,
): Told | undefined {
  const attempt = attemptOf(told) + 1;
  if (attempt > Math.min(retryPolicy?.limit ?? 0, mostAttempts)) return undefined;
  const dueMs = failure.atMs + waitSeconds(retryPolicy, attempt) * 1_000;
  const wholeMs = Math.ceil(Math.max(dueMs, failure.notBeforeMs ?? 0) / 1_000) * 1_000;
  return {
    name: told.name,
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

/** Each wait is the one before times the factor, and none is longer than the cap. */
export function waitSeconds(policy: FlowStep['retryPolicy'], attempt: number): number {
  const { backoffSeconds = 10, factor = 2, capSeconds = 300 } = policy ?? {};
  let seconds = backoffSeconds;
  for (let wait = 2; wait <= attempt && seconds < capSeconds; wait += 1) seconds *= factor;
  return Math.min(seconds, capSeconds);
}

export function failedStep(told: Told, { reason, atMs, mentions = [] }: Failure): Told {
  const rest = without(told, 'nextRetryTime', 'mentions');
  return { ...rest, state: 'Failed', reason, completionTime: stamp(atMs), mentions };
}

/** What somebody asks for by hand and nobody has noted yet; an empty value asks for nothing. */
export function wantedRetry({ metadata, status }: JobFlow): string | undefined {
  const nonce = metadata.annotations?.[annotations.retry]?.slice(0, 1_024);
  return nonce === '' || nonce === status?.retryNonce ? undefined : nonce;
}

/** Failed and skipped steps begin anew, failed ones with their next attempt; no others. */
export function asRetried(flow: JobFlow, record: StepRecord): Told {
  const isReset = record.state === 'Failed' || record.state === 'Skipped';
  if (!isReset || wantedRetry(flow) === undefined) return record;
  const attempt = attemptOf(record) + (record.state === 'Failed' ? 1 : 0);
  return { name: record.name, state: 'Waiting', attempt, reason: 'ManualRetry' };
}

export function resetsSteps(flow: JobFlow): boolean {
  const records = flow.status?.jobStatusList ?? [];
  return (
    wantedRetry(flow) !== undefined &&
    records.some(({ state }) => state === 'Failed' || state === 'Skipped')
  );
}

export function namesIn(steps: readonly Step[], state: Told['state']): readonly string[] {
  return steps.filter(({ told }) => told.state === state).map(({ spec }) => spec.name);
}
