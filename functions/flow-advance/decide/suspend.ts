/** Whether everything of a suspended flow has stopped (rule 15). */
import { stopsRunning, type Situation } from './situation.ts';
import type { Step } from './steps.ts';

/** Of a suspended flow: every child has stopped, or none is to be stopped. */
export function isSettled(situation: Situation, steps: readonly Step[]): boolean {
  if (!stopsRunning(situation)) return true;
  return steps.every(({ record }) => record.state !== 'Running' && record.state !== 'Pending');
}
