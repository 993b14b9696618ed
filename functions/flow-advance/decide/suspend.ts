/** Why a flow is suspended, and whether everything has stopped (rule 15). */
import { heldWords } from '#shared/domain/held-note.ts';
import { queuedWords } from '#shared/domain/queued-note.ts';
import { stopsRunning, type Situation } from './situation.ts';
import type { Step } from './steps.ts';

/** Why a suspended flow is suspended: a policy or Kueue says so in a note; without one it was a user. */
export function suspensionOf({ flow }: Situation): {
  readonly reason: 'HeldByPolicy' | 'Queued' | 'FlowSuspended';
  readonly message: string;
} {
  const held = heldWords(flow.metadata);
  if (held !== undefined) return { reason: 'HeldByPolicy', message: held };
  const queued = queuedWords(flow.metadata);
  return queued === undefined
    ? { reason: 'FlowSuspended', message: 'spec.suspend is true' }
    : { reason: 'Queued', message: queued };
}

/** Of a suspended flow: every child has stopped, or none is to be stopped. */
export function isSettled(situation: Situation, steps: readonly Step[]): boolean {
  if (!stopsRunning(situation)) return true;
  return steps.every(({ record }) => record.state !== 'Running' && record.state !== 'Pending');
}
