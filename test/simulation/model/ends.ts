/**
 * Whether all Jobs that a flow ever had justify the end of each step: what ran, how often, and why
 * the rest did not.
 */
import type { FlowStep, JobFlow, StepRecord } from '#shared/api/job-flow.ts';
import { labels } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { attemptOf } from './attempts-and-retries.ts';
import { conditionOf } from './job-fate.ts';
import { isOver } from './look.ts';

export interface Past {
  readonly flow: JobFlow;
  /** Every Job that the flow ever had, in its last version. Undefined: only the existing ones. */
  readonly jobs: readonly KubeObject[];
  readonly isWhole: boolean;
  readonly isGone: (job: KubeObject) => boolean;
  /** Every failure policy that the flow ever had. */
  readonly policies: ReadonlySet<string>;
  /** Every requested shutdown. */
  readonly shutdowns: ReadonlySet<string>;
  /** It once had a deadline. */
  readonly hadDeadline: boolean;
}

export function endFaults(past: Past): readonly string[] {
  const records = past.flow.status?.jobStatusList ?? [];
  return records.flatMap((record) => {
    const spec = past.flow.spec.flows.find(({ name }) => name === record.name);
    if (spec === undefined) return [`${record.name} is no step of the flow`];
    const why = isOver(record) ? unfounded(past, spec, record) : `it is still ${record.state}`;
    return [...(why === undefined ? [] : [why]), ...missingAttempts(past, record)].map(
      (fault) => `${record.name} is recorded as ${record.state} ${record.reason ?? ''}: ${fault}`,
    );
  });
}

/** Undefined: the end follows from the Jobs and the other steps. */
function unfounded(past: Past, spec: FlowStep, record: StepRecord): string | undefined {
  switch (record.state) {
    case 'Succeed':
      return hasSucceeded(past, record) ? undefined : 'no Job of this attempt did';
    case 'Skipped':
      return unfoundedSkip(past, spec, record);
    default:
      return unfoundedFailure(past, spec, record);
  }
}

/** Its success was certain before it vanished, or it is gone without a trace. */
function hasSucceeded(past: Past, record: StepRecord): boolean {
  const jobs = jobsOf(past, record.name, attemptOf(record));
  if (!past.isWhole && jobs.length === 0) return true;
  return jobs.some(
    (job) =>
      conditionOf(job, 'Complete') !== undefined ||
      (past.isGone(job) && conditionOf(job, 'SuccessCriteriaMet') !== undefined),
  );
}

function unfoundedSkip(
  { flow, policies, shutdowns, hadDeadline }: Past,
  spec: FlowStep,
  record: StepRecord,
): string | undefined {
  const records = flow.status?.jobStatusList ?? [];
  const { reason = '' } = record;
  const isLost = ({ name, state }: StepRecord): boolean =>
    spec.dependencies?.includes(name) === true && (state === 'Failed' || state === 'Skipped');
  if (reason === 'UpstreamFailed') {
    return records.some(isLost) ? undefined : 'nothing that it depends on has failed';
  }
  if (reason === 'StartDeadlineExceeded') {
    return flow.status?.reason === reason ? undefined : 'the flow was not given up';
  }
  if (reason === 'Shutdown') return shutdowns.size > 0 ? undefined : 'no user shut it down';
  if (reason === 'FlowDeadlineExceeded') return hadDeadline ? undefined : 'it had no deadline';
  if (!policies.has(reason)) return 'the flow never had such a policy';
  return records.some(({ state }) => state === 'Failed') ? undefined : 'no step has failed';
}

function unfoundedFailure(past: Past, spec: FlowStep, record: StepRecord): string | undefined {
  const { flow, policies } = past;
  const { reason = '' } = record;
  const jobs = jobsOf(past, record.name, attemptOf(record));
  const isGone = !past.isWhole || jobs.some(past.isGone);
  switch (reason) {
    case 'InvalidJob':
      return undefined;
    case 'RetryAbandoned': {
      const others = (flow.status?.jobStatusList ?? []).filter(
        ({ name, state }) => name !== record.name && state === 'Failed',
      );
      const stops = policies.has('FailFast') || policies.has('CancelRunning');
      return stops && others.length > 0
        ? undefined
        : 'no failure of another step forbade its retry';
    }
    case 'Shutdown':
      return past.shutdowns.size > 0 ? undefined : 'no user shut it down';
    case 'FlowDeadlineExceeded':
      return past.hadDeadline ? undefined : 'it had no deadline';
    case 'Cancelled':
      return policies.has('CancelRunning') && isGone ? undefined : 'no rule cancelled it';
    case 'ChildDeleted':
      return isGone ? retriesLeft(spec, record) : 'its Job is there';
    default: {
      const hasFailed = jobs.some((job) => conditionOf(job, 'Failed')?.reason === reason);
      return hasFailed || (!past.isWhole && jobs.length === 0)
        ? retriesLeft(spec, record)
        : 'its Job did not fail like this';
    }
  }
}

function retriesLeft({ retryPolicy }: FlowStep, record: StepRecord): string | undefined {
  const left = (retryPolicy?.limit ?? 0) - attemptOf(record);
  return left > 0 ? `${left} retries were left` : undefined;
}

/** Each attempt before the last one had a Job, and failed. */
function missingAttempts(past: Past, record: StepRecord): readonly string[] {
  if (!past.isWhole) return [];
  return Array.from({ length: attemptOf(record) }, (_, attempt) => attempt).flatMap((attempt) => {
    const jobs = jobsOf(past, record.name, attempt);
    const isLost = jobs.some((job) => past.isGone(job) || conditionOf(job, 'Failed') !== undefined);
    return isLost ? [] : [`attempt ${attempt} did not fail, and another followed`];
  });
}

function jobsOf({ jobs }: Past, step: string, attempt: number): readonly KubeObject[] {
  return jobs.filter(
    ({ metadata }) =>
      metadata.labels?.[labels.step] === step &&
      metadata.labels[labels.attempt] === String(attempt),
  );
}
