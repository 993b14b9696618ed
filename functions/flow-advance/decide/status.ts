/** The status that a decision wants, put together from its parts. */
import type { JobFlowStatus, StepRecord } from '#shared/api/job-flow.ts';
import { parseTime, rfc3339 } from '#shared/domain/time.ts';
import { nextConditions, observedGeneration, type Finding } from './conditions.ts';
import {
  acceptedWithRemark,
  blocked,
  endFindings,
  progressing,
  retryFinding,
  stepFailed,
  suspended,
  templatesFinding,
} from './findings.ts';
import { earlyEndOf } from './early-end.ts';
import type { ManualRetry } from './retry.ts';
import { hasStarted, isSuspended, type Situation } from './situation.ts';
import type { Step } from './steps.ts';
import { suspensionOf } from './suspend.ts';
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
    ...ended(situation, retry, summary, records),
    ...common(situation, retry),
    ...summary,
    ...countsOf(records),
    jobStatusList: records,
    conditions: nextConditions(situation, [
      acceptedWithRemark(situation, retry),
      ...templatesFinding(templates),
      progressing(summary),
      blocked(steps),
      stepFailed(records),
      suspended(situation, summary, steps),
      ...endFindings(summary),
      ...retryFinding(retry),
    ]),
  };
}

/** The status of a flow that ends without a step being started: it is invalid, or its time is up. */
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
    ...ended(situation, retry, summary, records),
    ...common(situation, retry),
    ...summary,
    ...(records.length === 0 ? {} : { ...countsOf(records), jobStatusList: records }),
    conditions: nextConditions(situation, [
      ...findings,
      progressing(summary),
      ...endFindings(summary),
    ]),
  };
}

export function common(situation: Situation, { nonce }: ManualRetry): JobFlowStatus {
  return {
    ...observedGeneration(situation),
    ...(nonce === undefined ? {} : { retryNonce: nonce }),
  };
}

function summaryOf(situation: Situation, records: readonly StepRecord[]): Summary {
  const end = endOf(records);
  if (end !== undefined) return end;
  const early = earlyEndOf(situation, records)?.tells;
  if (isSuspended(situation)) {
    const suspension = early ?? suspensionOf(situation);
    return { state: 'Suspended', ...withObstacle(suspension, endingOf(records)) };
  }
  const state = isStarted(situation, records) ? 'Running' : 'Pending';
  const obstacle = obstacleOf(records);
  return { state, ...(early === undefined ? obstacle : withObstacle(early, obstacle)) };
}

/** What ends or stops by itself may be held up, and then it does not. */
function withObstacle(early: Obstacle, obstacle: Obstacle | undefined): Obstacle {
  if (obstacle === undefined) return early;
  return { reason: early.reason, message: `${early.message}; ${obstacle.message}` };
}

function isStarted(situation: Situation, records: readonly StepRecord[]): boolean {
  return hasStarted(situation) || records.some(({ jobName }) => jobName !== undefined);
}

/**
 * From the first child on: when, from which steps, and from which templates (rules 16 and 17). A retry by hand goes on
 * from the steps as they are then.
 */
function started(
  situation: Situation,
  retry: ManualRetry,
  templates: Templates,
  records: readonly StepRecord[],
): JobFlowStatus {
  if (!isStarted(situation, records)) return {};
  const { status, snapshot } = situation;
  const isOld = status.flowsHash !== undefined && retry.resetSteps.length === 0;
  const from: Pick<JobFlowStatus, 'flowsHash' | 'stepHashes'> =
    isOld || snapshot.flowsHash === undefined ? status : snapshot;
  const { flowsHash, stepHashes } = from;
  return {
    startTime: startOf(situation),
    ...(flowsHash === undefined ? {} : { flowsHash }),
    ...(stepHashes === undefined ? {} : { stepHashes }),
    ...(templates.pinned.length === 0 ? {} : { pinnedTemplates: templates.pinned }),
  };
}

/** The API server's time is told in whole seconds: so much is no difference. Milliseconds. */
const clockResolutionMs = 1_000;

/**
 * No later than the first Job was created: a pass that created it may have ended before it could tell,
 * and the one that adopts it does not read it.
 */
function startOf({ status, snapshot, nowMs }: Situation): string {
  const known = status.startTime ?? rfc3339(nowMs);
  const created = snapshot.jobs.map(({ creationTimestamp = known }) => creationTimestamp);
  const [first = known] = created.toSorted();
  const isEarlier = (parseTime(first) ?? 0) < (parseTime(known) ?? 0) - clockResolutionMs;
  return isEarlier ? first : known;
}

/** A retry by hand gives a new end, also one that came to its end before anybody recorded its start. */
function ended(
  { status, nowMs }: Situation,
  { resetSteps }: ManualRetry,
  summary: Summary,
  records: readonly StepRecord[],
): JobFlowStatus {
  if (summary.state !== 'Succeed' && summary.state !== 'Failed') return {};
  const isSameEnd = status.state === summary.state && resetSteps.length === 0;
  const wasOver = isSameEnd ? status.completionTime : undefined;
  return { completionTime: wasOver ?? lastCompletion(records) ?? rfc3339(nowMs) };
}
