/** What each condition says of a flow (rule 9), from its summary and its steps. */
import type { StepRecord } from '#shared/api/job-flow.ts';
import type { Finding } from './conditions.ts';
import { lostFieldsOfSteps } from './lost-fields.ts';
import { listed, unknownField } from './record.ts';
import { refusedSteps } from './refusals.ts';
import type { ManualRetry } from './retry.ts';
import type { Situation } from './situation.ts';
import type { Step } from './steps.ts';
import type { Summary } from './summary.ts';
import { isSettled, suspensionOf } from './suspend.ts';
import type { Templates } from './templates.ts';

export const accepted: Finding = {
  type: 'Accepted',
  isTrue: true,
  reason: 'Valid',
  message: 'the flow can be run',
};

/**
 * The API server reports a misspelt field of a template only when it creates the Job. The first report
 * therefore stays, also after the end and after other changes of the spec, until a retry starts steps again.
 */
export function acceptedWithRemark(situation: Situation, retry: ManualRetry): Finding {
  const known = situation.status.conditions?.find((condition) => condition.type === accepted.type);
  const isKept = known?.reason === unknownField && retry.resetSteps.length === 0;
  const message = isKept ? known.message : lostFieldsOfSteps(situation)?.message;
  return message === undefined ? accepted : { ...accepted, reason: unknownField, message };
}

export function notAccepted(reason: string, message: string): Finding {
  return { type: 'Accepted', isTrue: false, reason, message };
}

export function templatesFinding(templates: Templates): readonly Finding[] {
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
  Suspended: 'nothing new starts',
  Terminating: 'the flow is being deleted',
} as const;

/** Of a flow that goes on with what it waits for beside its turns, if there is such a thing. */
export function progressing({ state, reason, message }: Summary): Finding {
  const waits = state === 'Running' || state === 'Pending';
  const isTold = state === 'Running' || state === 'Suspended';
  return {
    type: 'Progressing',
    isTrue: state === 'Running',
    reason: waits ? (reason ?? state) : state,
    message: isTold ? (message ?? progressMessages[state]) : progressMessages[state],
  };
}

export function blocked(steps: readonly Step[]): Finding {
  const [first] = refusedSteps(steps);
  return {
    type: 'Blocked',
    onlyWhenKnown: true,
    isTrue: first !== undefined,
    reason: first?.record.reason ?? 'NotBlocked',
    message:
      first === undefined
        ? 'every requested Job was created'
        : [`step ${first.spec.name}`, first.record.message].join(': '),
  };
}

export function stepFailed(records: readonly StepRecord[]): Finding {
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
export function suspended(situation: Situation, summary: Summary, steps: readonly Step[]): Finding {
  const type = 'Suspended';
  if (summary.state !== 'Suspended') {
    const message = 'the flow is not suspended';
    return { type, onlyWhenKnown: true, isTrue: false, reason: 'Resumed', message };
  }
  const { reason, message } = suspensionOf(situation);
  return isSettled(situation, steps)
    ? { type, isTrue: true, reason, message: `${message}: nothing new starts` }
    : { type, isTrue: false, reason: 'Suspending', message: 'running steps are being stopped' };
}

export function endFindings(summary: Summary): readonly Finding[] {
  const isComplete = summary.state === 'Succeed';
  const failure = summary.state === 'Failed' ? summary : undefined;
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
      isTrue: failure !== undefined,
      reason: failure?.reason ?? 'Restarted',
      message: failure?.message ?? 'failed steps were started again',
    },
  ];
}

/** What became of the retry that was asked for last; said when it is handled, and not touched afterwards. */
export function retryFinding({ isNew, refusal }: ManualRetry): readonly Finding[] {
  if (!isNew) return [];
  const isTrue = refusal !== undefined;
  const { reason, message } = refusal ?? { reason: 'Accepted', message: 'the retry is under way' };
  return [{ type: 'RetryRefused', onlyWhenKnown: true, isTrue, reason, message }];
}
