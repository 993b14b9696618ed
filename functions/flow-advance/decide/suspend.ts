/** The effect of a suspension on the Jobs of a flow (rule 15). */
import { jobFlowDefaults } from '#shared/api/job-flow.ts';
import type { ChildSuspension } from '#shared/parents/child-suspension.ts';
import { isSuspended, type Situation } from './situation.ts';
import type { Step } from './steps.ts';

/** Jobs that a suspension stopped resume with the flow, even if `suspendMode` changes. */
export function childSuspension(situation: Situation): ChildSuspension {
  if (!isSuspended(situation)) return 'resume';
  const mode = situation.flow.spec.suspendMode ?? jobFlowDefaults.suspendMode;
  return mode === 'StopRunning' ? 'stop' : 'leave';
}

/** For a suspended flow: all Jobs have stopped, or none has to. */
export function isSettled(situation: Situation, steps: readonly Step[]): boolean {
  if (childSuspension(situation) !== 'stop') return true;
  return steps.every(({ record }) => record.state !== 'Running' && record.state !== 'Pending');
}
