/** What a suspension does to the children of a flow (rule 15). */
import { jobFlowDefaults } from '#shared/api/job-flow.ts';
import type { ChildSuspension } from '#shared/parents/child-suspension.ts';
import { isSuspended, type Situation } from './situation.ts';
import type { Step } from './steps.ts';

/** What a suspension has stopped goes on when the flow is resumed, and not when its mode changes. */
export function childSuspension(situation: Situation): ChildSuspension {
  if (!isSuspended(situation)) return 'resume';
  const mode = situation.flow.spec.suspendMode ?? jobFlowDefaults.suspendMode;
  return mode === 'StopRunning' ? 'stop' : 'leave';
}

/** Of a suspended flow: every child has stopped, or none is to be stopped. */
export function isSettled(situation: Situation, steps: readonly Step[]): boolean {
  if (childSuspension(situation) !== 'stop') return true;
  return steps.every(({ record }) => record.state !== 'Running' && record.state !== 'Pending');
}
