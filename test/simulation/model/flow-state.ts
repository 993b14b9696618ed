/** The state of the flow and its counters, which follow from its steps (rules 9, 12 and 21). */
import type { JobFlow, JobFlowStatus } from '#shared/api/job-flow.ts';
import { endingOf } from './failure-policy.ts';
import { suspensionReason } from './held.ts';
import { isOnItsWay } from './job-fate.ts';
import { isOver, type Look, type Step, type Predicted } from './look.ts';
import { isHeldUp } from './pods.ts';

export interface Summary {
  readonly state: NonNullable<JobFlowStatus['state']>;
  readonly reason?: string;
}

/** Failed only when nothing runs and nothing can start any more (rule 12). */
export function summaryOf(look: Look, steps: readonly Step[]): Summary {
  const { flow } = look;
  const predicted = steps.map((step) => step.predicted);
  if (predicted.every(isOver)) {
    for (const reason of ['Shutdown', 'FlowDeadlineExceeded']) {
      const cut = predicted.some((each) => each.state !== 'Succeed' && each.reason === reason);
      if (cut) return { state: 'Failed', reason };
    }
    if (predicted.some(({ state }) => state === 'Failed'))
      return { state: 'Failed', reason: 'StepFailed' };
    if (predicted.every(({ state }) => state === 'Succeed')) return { state: 'Succeed' };
    return { state: 'Failed', reason: 'StepSkipped' };
  }
  const skips = endingOf(look, predicted)?.skips;
  const ending = { Shutdown: 'ShuttingDown', FlowDeadlineExceeded: 'FlowDeadlineExceeded' }[
    skips ?? ''
  ];
  if (flow.spec.suspend === true) {
    if (ending !== undefined) return { state: 'Suspended', reason: ending };
    const reason = suspensionReason(flow.metadata);
    return { state: 'Suspended', reason };
  }
  const obstacle =
    predicted.find(({ state }) => state === 'Blocked') ??
    predicted.find(isHeldUp) ??
    predicted.find(({ reason }) => reason === 'ManualGate') ??
    predicted.find(({ reason }) => reason === 'ParallelismReached') ??
    predicted.find(
      ({ state, nextRetryTime }) => state === 'Waiting' && nextRetryTime !== undefined,
    ) ??
    predicted.find(({ reason }) => reason === 'TemplatesPending') ??
    predicted.find(({ state, reason }) => state === 'Running' && isOnItsWay(reason));
  const reason = ending ?? obstacle?.reason;
  const state = hasBegun(flow, predicted) ? 'Running' : 'Pending';
  return reason === undefined ? { state } : { state, reason };
}

export function hasBegun({ status }: JobFlow, predicted: readonly Predicted[]): boolean {
  return status?.startTime !== undefined || predicted.some(({ jobName }) => jobName !== undefined);
}

export function countersOf(predicted: readonly Predicted[]) {
  const count = (...states: readonly string[]): number =>
    predicted.filter(({ state }) => states.includes(state)).length;
  return {
    progress: `${count('Succeed')}/${predicted.length}`,
    running: count('Pending', 'Running'),
    failed: count('Failed'),
    suspended: count('Suspended'),
    total: predicted.length,
  };
}

/** The flow ended with its last step, whenever that was noticed. */
export function lastEnd(predicted: readonly Predicted[]): string | undefined {
  return predicted
    .flatMap(({ completionTime }) => completionTime ?? [])
    .toSorted()
    .at(-1);
}
