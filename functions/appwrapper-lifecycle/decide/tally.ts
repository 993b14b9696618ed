/** Counts the Pods of a wrapper, as far as decisions depend on them. */
import { isOursToRun, saysItsEnd } from '../subscription/ends.ts';
import type { ObservedPod } from '../snapshot.ts';
import { hasSucceeded } from './component-states.ts';
import type { Part, Situation } from './situation.ts';

export interface Tally {
  readonly expected: number;
  readonly pending: number;
  readonly running: number;
  readonly succeeded: number;
  /** Failed Pods that were not replaced. */
  readonly failed: number;
}

const none: Tally = { expected: 0, pending: 0, running: 0, succeeded: 0, failed: 0 };

export function tallyOf(situation: Situation): Tally {
  return sum(situation.parts.map((part) => tallyOfPart(situation, part)));
}

/** Only components whose Pods have to show when they have ended. */
export function tallyOfSilent(situation: Situation): Tally {
  const silent = situation.parts.filter(({ recorded }) => !saysItsEnd(recorded));
  return sum(silent.map((part) => tallyOfPart(situation, part)));
}

/** The number of Pods that its podSets declare. */
export function expectedOf({ recorded }: Part): number {
  return recorded.podSets.reduce((all, { replicas: each = 1 }) => all + each, 0);
}

/** Number of its Pods that wait or run and are not being deleted. */
export function livePodsOf(situation: Situation, part: Part): number {
  if (isOursToRun(part.recorded)) return 0;
  return podsOf(situation, part).filter(
    ({ phase, isDeleting }) => (phase === 'Pending' || phase === 'Running') && !isDeleting,
  ).length;
}

export function podsOf({ snapshot: { pods } }: Situation, { index }: Part): readonly ObservedPod[] {
  return pods.filter(({ component }) => component === index);
}

export function tallyOfPart(situation: Situation, part: Part): Tally {
  if (isOursToRun(part.recorded)) return none;
  const pods = podsOf(situation, part);
  const replicas = expectedOf(part);
  const inPhase = (phase: string): number => pods.filter((pod) => pod.phase === phase).length;
  const pending = inPhase('Pending');
  const succeeded = inPhase('Succeeded');
  const running = pods.filter(({ phase, isDeleting }) => phase === 'Running' && !isDeleting).length;
  // Succeeded Pods may have been removed since.
  if (hasSucceeded(part))
    return {
      ...none,
      expected: replicas,
      pending,
      running,
      succeeded: Math.max(succeeded, replicas),
    };
  const missing = Math.max(0, replicas - pending - running - succeeded);
  // A component that retries by itself is still running. A replaced Pod proves no failure.
  const unreplaced = saysItsEnd(part.recorded) ? 0 : Math.min(inPhase('Failed'), missing);
  const failed = situation.rules.isStrict ? inPhase('Failed') : unreplaced;
  return { expected: replicas, pending, running, succeeded, failed };
}

function sum(tallies: readonly Tally[]): Tally {
  return tallies.reduce(
    (all, each) => ({
      expected: all.expected + each.expected,
      pending: all.pending + each.pending,
      running: all.running + each.running,
      succeeded: all.succeeded + each.succeeded,
      failed: all.failed + each.failed,
    }),
    none,
  );
}
