/** The status that a decision wants, put together from its parts. */
import type { JobFlowStatus, JobStatus } from '#shared/api/job-flow.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import { nextConditions, type Finding } from './conditions.ts';
import { listed } from './record.ts';
import { refusedSteps } from './refusals.ts';
import type { ManualRetry } from './retry.ts';
import { hasStarted, isSuspended, type Situation } from './situation.ts';
import { isSettled } from './suspend.ts';
import type { Step } from './steps.ts';
import { countsOf, endOf, lastCompletion, obstacleOf, type Summary } from './summary.ts';
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
    ...started(situation, templates, records),
    ...ended(situation, summary, records),
    ...common(situation, retry),
    ...summary,
    ...countsOf(records),
    jobStatusList: records,
    conditions: nextConditions(situation, [
      accepted,
      ...templatesFinding(templates),
      progressing(summary),
      blocked(steps),
      stepFailed(records),
      suspended(situation, summary, steps),
      ...endFindings(summary),
    ]),
  };
}

/** The status of a flow that ends without a step being started: it is invalid, or its time is up. */
export function unstartedEnd(
  situation: Situation,
  retry: ManualRetry,
  findings: readonly Finding[],
  why: { readonly reason: string; readonly message: string },
  records: readonly JobStatus[],
): JobFlowStatus {
  const summary: Summary = { state: 'Failed', ...why };
  return {
    ...ended(situation, summary, records),
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

export const accepted: Finding = {
  type: 'Accepted',
  isTrue: true,
  reason: 'Valid',
  message: 'the flow can be run',
};

export function notAccepted(reason: string, message: string): Finding {
  return { type: 'Accepted', isTrue: false, reason, message };
}

export function common({ flow }: Situation, { nonce }: ManualRetry): JobFlowStatus {
  const { generation } = flow.metadata;
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...(nonce === undefined ? {} : { retryNonce: nonce }),
  };
}

function summaryOf(situation: Situation, records: readonly JobStatus[]): Summary {
  const end = endOf(records);
  if (end !== undefined) return end;
  if (isSuspended(situation)) {
    return { state: 'Suspended', reason: 'FlowSuspended', message: 'spec.suspend is true' };
  }
  const state = isStarted(situation, records) ? 'Running' : 'Pending';
  return { state, ...obstacleOf(records) };
}

function isStarted(situation: Situation, records: readonly JobStatus[]): boolean {
  return hasStarted(situation) || records.some(({ jobName }) => jobName !== undefined);
}

/** From the first child on: when, from which steps, and from which templates (rules 16 and 17). */
function started(
  situation: Situation,
  templates: Templates,
  records: readonly JobStatus[],
): JobFlowStatus {
  if (!isStarted(situation, records)) return {};
  const flowsHash = situation.status.flowsHash ?? situation.snapshot.flowsHash;
  return {
    startTime: situation.status.startTime ?? rfc3339(situation.nowMs),
    ...(flowsHash === undefined ? {} : { flowsHash }),
    ...(templates.pinned.length === 0 ? {} : { pinnedTemplates: templates.pinned }),
  };
}

function ended(
  { status, nowMs }: Situation,
  summary: Summary,
  records: readonly JobStatus[],
): JobFlowStatus {
  if (summary.state !== 'Succeed' && summary.state !== 'Failed') return {};
  const wasOver = status.state === summary.state ? status.completionTime : undefined;
  return { completionTime: wasOver ?? lastCompletion(records) ?? rfc3339(nowMs) };
}

function templatesFinding(templates: Templates): readonly Finding[] {
  if (!templates.isUsed) return [];
  const { missing } = templates;
  const type = 'TemplatesResolved';
  return missing.length === 0
    ? [
        {
          type,
          isTrue: true,
          reason: 'Resolved',
          message: 'every JobTemplate that is needed exists',
        },
      ]
    : [
        {
          type,
          isTrue: false,
          reason: 'JobTemplateNotFound',
          message: `there is no JobTemplate named ${listed(missing, 40)}`,
        },
      ];
}

const progressMessages = {
  Pending: 'no step has been started',
  Running: 'steps are being run',
  Succeed: 'every step succeeded',
  Failed: 'the flow has failed',
  Suspended: 'spec.suspend is true',
  Terminating: 'the flow is being deleted',
} as const;

function progressing(summary: Summary): Finding {
  return {
    type: 'Progressing',
    isTrue: summary.state === 'Running',
    reason: summary.state === 'Pending' ? (summary.reason ?? 'Pending') : summary.state,
    message: progressMessages[summary.state],
  };
}

function blocked(steps: readonly Step[]): Finding {
  const [first] = refusedSteps(steps);
  return {
    type: 'Blocked',
    onlyWhenKnown: true,
    isTrue: first !== undefined,
    reason: first?.record.reason ?? 'NotBlocked',
    message:
      first === undefined
        ? 'every Job that was asked for was created'
        : `step ${first.spec.name}: ${first.record.message ?? ''}`,
  };
}

function stepFailed(records: readonly JobStatus[]): Finding {
  const failed = records.filter(({ state }) => state === 'Failed').map(({ name }) => name);
  return {
    type: 'StepFailed',
    onlyWhenKnown: true,
    isTrue: failed.length > 0,
    reason: failed.length > 0 ? 'StepFailed' : 'NoStepFailed',
    message:
      failed.length > 0 ? `failed: ${listed(failed, 40)}` : 'failed steps were started again',
  };
}

/** True when everything has stopped that is to stop. */
function suspended(situation: Situation, summary: Summary, steps: readonly Step[]): Finding {
  const type = 'Suspended';
  if (summary.state !== 'Suspended') {
    const message = 'the flow is not suspended';
    return { type, onlyWhenKnown: true, isTrue: false, reason: 'Resumed', message };
  }
  return isSettled(situation, steps)
    ? { type, isTrue: true, reason: 'FlowSuspended', message: 'nothing new starts' }
    : { type, isTrue: false, reason: 'Suspending', message: 'running steps are being stopped' };
}

function endFindings(summary: Summary): readonly Finding[] {
  const isComplete = summary.state === 'Succeed';
  const isFailed = summary.state === 'Failed';
  return [
    {
      type: 'Complete',
      onlyWhenKnown: true,
      isTrue: isComplete,
      reason: isComplete ? 'AllStepsSucceeded' : 'NotComplete',
      message: isComplete ? 'every step succeeded' : 'the flow is not complete',
    },
    {
      type: 'Failed',
      onlyWhenKnown: true,
      isTrue: isFailed,
      reason: isFailed ? (summary.reason ?? 'StepFailed') : 'Restarted',
      message: isFailed ? (summary.message ?? '') : 'failed steps were started again',
    },
  ];
}
