/** The state of the flow and its counters, which follow from its steps (rules 9, 12 and 21). */
import type { JobFlow, JobFlowStatus } from '#shared/api/job-flow.ts';
import { endingOf } from './failure-policy.ts';
import { suspensionReason } from './held.ts';
import { isOnItsWay } from './job-fate.ts';
import { isOver, type Look, type Step, type Told } from './look.ts';
import { isHeldUp } from './pods.ts';

export interface Summary {
  readonly state: NonNullable<JobFlowStatus['state']>;
  readonly reason?: string;
}

/** Failed only when nothing runs and nothing can start any more (rule 12). */
export function summaryOf(look: Look, steps: readonly Step[]): Summary {
  const { flow } = look;
  const told = steps.map((step) => step.told);
  if (told.every(isOver)) {
    for (const reason of ['Shutdown', 'FlowDeadlineExceeded']) {
      const cut = told.some((each) => each.state !== 'Succeed' && each.reason === reason);
      if (cut) return { state: 'Failed', reason };
    }
    if (told.some(({ state }) => state === 'Failed'))
      return { state: 'Failed', reason: 'StepFailed' };
    if (told.every(({ state }) => state === 'Succeed')) return { state: 'Succeed' };
    return { state: 'Failed', reason: 'StepSkipped' };
  }
  const skips = endingOf(look, told)?.skips;
  const ending = { Shutdown: 'ShuttingDown', FlowDeadlineExceeded: 'FlowDeadlineExceeded' }[
    skips ?? ''
  ];
  if (flow.spec.suspend === true) {
    if (ending !== undefined) return { state: 'Suspended', reason: ending };
    const reason = suspensionReason(flow.metadata);
    return { state: 'Suspended', reason };
  }
  const obstacle =
    told.find(({ state }) => state === 'Blocked') ??
    told.find(isHeldUp) ??
    told.find(({ reason }) => reason === 'ManualGate') ??
    told.find(({ reason }) => reason === 'ParallelismReached') ??
    told.find(({ state, nextRetryTime }) => state === 'Waiting' && nextRetryTime !== undefined) ??
    told.find(({ reason }) => reason === 'TemplatesPending') ??
    told.find(({ state, reason }) => state === 'Running' && isOnItsWay(reason));
  const reason = ending ?? obstacle?.reason;
  const state = hasBegun(flow, told) ? 'Running' : 'Pending';
  return reason === undefined ? { state } : { state, reason };
}

export function hasBegun({ status }: JobFlow, told: readonly Told[]): boolean {
  return status?.startTime !== undefined || told.some(({ jobName }) => jobName !== undefined);
}

export function countersOf(told: readonly Told[]) {
  const count = (...states: readonly string[]): number =>
    told.filter(({ state }) => states.includes(state)).length;
  return {
    progress: `${count('Succeed')}/${told.length}`,
    running: count('Pending', 'Running'),
    failed: count('Failed'),
    suspended: count('Suspended'),
    total: told.length,
  };
}

/** The flow ended with its last step, whenever that was noticed. */
export function lastEnd(told: readonly Told[]): string | undefined {
  return told
    .flatMap(({ completionTime }) => completionTime ?? [])
    .toSorted()
    .at(-1);
}
