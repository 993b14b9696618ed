/** Why a flow is suspended, and whether everything has stopped (rule 15). */
import { heldWords } from '#shared/domain/held-note.ts';
import { stopsRunning, type Situation } from './situation.ts';
import type { Step } from './steps.ts';

/** Why a suspended flow is suspended: a policy says so in a note; without one it was a user. */
export function suspensionOf({ flow }: Situation): {
  readonly reason: 'HeldByPolicy' | 'FlowSuspended';
  readonly message: string;
} {
  const held = heldWords(flow.metadata);
  return held === undefined
    ? { reason: 'FlowSuspended', message: 'spec.suspend is true' }
    : { reason: 'HeldByPolicy', message: held };
}

/** Of a suspended flow: every child has stopped, or none is to be stopped. */
export function isSettled(situation: Situation, steps: readonly Step[]): boolean {
  if (!stopsRunning(situation)) return true;
  return steps.every(({ record }) => record.state !== 'Running' && record.state !== 'Pending');
}
