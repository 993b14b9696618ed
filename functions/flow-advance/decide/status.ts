/** Builds the status that a decision wants. */
import type { JobFlowStatus, StepRecord } from '#shared/api/job-flow.ts';
import type { Finding } from '#shared/domain/findings.ts';
import {
  courseFindings,
  lookedAt,
  nextConditions,
  unstartedFindings,
} from '#shared/parents/conditions.ts';
import { retryFinding } from '#shared/parents/manual-retry.ts';
import { ended, startOf } from '#shared/parents/start-and-end.ts';
import { whySuspended } from '#shared/parents/suspension.ts';
import { acceptedWithRemark, standingOf, templatesFinding } from './findings.ts';
import { earlyEndOf } from './early-end.ts';
import type { ManualRetry } from './retry.ts';
import { hasStarted, isSuspended, type Situation } from './situation.ts';
import type { Step } from './steps.ts';
import {
  countsOf,
  endingOf,
  endOf,
  lastCompletion,
  type Obstacle,
  obstacleOf,
  type Summary,
} from './summary.ts';
import type { Templates } from './templates.ts';
import { flowWords } from './words.ts';

/** The status of a flow that is being run. */
export function runningStatus(
  situation: Situation,
  retry: ManualRetry,
  templates: Templates,
  steps: readonly Step[],
): JobFlowStatus {
  const records = steps.map(({ record }) => record);
  const summary = summaryOf(situation, records);
  return {
    ...started(situation, retry, templates, records),
    ...endedAt(situation, retry, summary, records),
    ...lookedAt(situation.flow, retry),
    ...summary,
    ...countsOf(records),
    jobStatusList: records,
    conditions: nextConditions(situation.flow, situation.nowMs, [
      acceptedWithRemark(situation, retry),
      ...templatesFinding(templates),
      ...courseFindings(flowWords, standingOf(situation, summary, steps)),
      ...retryFinding(retry),
    ]),
  };
}

/** The status of a flow that ends before any step started: it is invalid, or its time is up. */
export function unstartedEnd(
  situation: Situation,
  retry: ManualRetry,
  findings: readonly Finding[],
  why: { readonly reason: string; readonly message: string },
  records: readonly StepRecord[],
): JobFlowStatus {
  const { reason, message } = why;
  const summary = { state: 'Failed', reason, message } as const;
  return {
    ...endedAt(situation, retry, summary, records),
    ...lookedAt(situation.flow, retry),
    ...summary,
    ...(records.length === 0 ? {} : { ...countsOf(records), jobStatusList: records }),
    conditions: nextConditions(situation.flow, situation.nowMs, [
      ...findings,
      ...unstartedFindings(flowWords, summary),
    ]),
  };
}

function summaryOf(situation: Situation, records: readonly StepRecord[]): Summary {
  const end = endOf(records);
  if (end !== undefined) return end;
  const early = earlyEndOf(situation, records)?.reports;
  if (isSuspended(situation)) {
    const suspension = early ?? whySuspended(situation.flow.metadata, 'FlowSuspended');
    return { state: 'Suspended', ...withObstacle(suspension, endingOf(records)) };
  }
  const state = isStarted(situation, records) ? 'Running' : 'Pending';
  const obstacle = obstacleOf(records);
  return { state, ...(early === undefined ? obstacle : withObstacle(early, obstacle)) };
}

/** A flow that ends or stops may be held up by an obstacle, so its message names both. */
function withObstacle(early: Obstacle, obstacle: Obstacle | undefined): Obstacle {
  if (obstacle === undefined) return early;
  return { reason: early.reason, message: `${early.message}; ${obstacle.message}` };
}

function isStarted(situation: Situation, records: readonly StepRecord[]): boolean {
  return hasStarted(situation) || records.some(({ jobName }) => jobName !== undefined);
}

/**
 * Set from the first child on: start time, hashes of the steps, pinned templates (rules 16 and 17).
 * A retry by hand records the steps as they are then.
 */
function started(
  situation: Situation,
  retry: ManualRetry,
  templates: Templates,
  records: readonly StepRecord[],
): JobFlowStatus {
  if (!isStarted(situation, records)) return {};
  const { status, snapshot, nowMs } = situation;
  const isOld = status.flowsHash !== undefined && retry.resetSteps.length === 0;
  const from: Pick<JobFlowStatus, 'flowsHash' | 'stepHashes'> =
    isOld || snapshot.flowsHash === undefined ? status : snapshot;
  const { flowsHash, stepHashes } = from;
  return {
    startTime: startOf(status, snapshot.jobs, nowMs),
    ...(flowsHash === undefined ? {} : { flowsHash }),
    ...(stepHashes === undefined ? {} : { stepHashes }),
    ...(templates.pinned.length === 0 ? {} : { pinnedTemplates: templates.pinned }),
  };
}

/** A retry by hand gives a new end, even if the flow ended again before its start was recorded. */
function endedAt(
  { status, nowMs }: Situation,
  { resetSteps }: ManualRetry,
  { state }: Summary,
  records: readonly StepRecord[],
): JobFlowStatus {
  const isRetried = resetSteps.length > 0;
  return ended(status, { state, isRetried }, nowMs, () => lastCompletion(records));
}
