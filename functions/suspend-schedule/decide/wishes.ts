/** Finds the state that the policy wants for each object that it decides about. */
import { parseTime } from '#shared/domain/time.ts';
import { governedKind } from '#shared/api/work/governed-kinds.ts';
import type { Override } from '#shared/suspension/override.ts';
import { admit } from './admit.ts';
import { capacityOf } from './capacity.ts';
import type { Situation } from './situation.ts';
import type { Governed } from './standing.ts';
import type { Wish, Wished } from './wish.ts';

const leave: Wish = { kind: 'leave' };
const run: Wish = { kind: 'run' };

export function wishesFor(situation: Situation, all: readonly Governed[]): readonly Wished[] {
  const decided = all.map((each): Governed & { readonly wish?: Wish } => {
    const wish = fixedWish(situation, each);
    return wish === undefined ? each : { ...each, wish };
  });
  const capacity = capacityOf(situation.policy.spec);
  const open = decided.filter(({ wish }) => wish === undefined);
  const admitted = capacity === undefined ? undefined : admit(situation, capacity, decided, open);
  return decided.map((each) => ({
    ...each,
    wish: each.wish ?? admitted?.get(each.object.uid) ?? run,
  }));
}

function heldBy({ untilMs }: Override): Wish {
  const end = untilMs === undefined ? {} : { overrideUntilMs: untilMs };
  return { kind: 'hold', reason: 'Override', ...end };
}

/** Undefined: it may run if there is capacity. */
function fixedWish(situation: Situation, each: Governed): Wish | undefined {
  const { standing, override, object } = each;
  if (standing === 'untouchable') return leave;
  if (override !== undefined) {
    return override.wants === 'Run' ? run : heldBy(override);
  }
  if (standing === 'foreign' || standing === 'resumedByHand') return leave;
  // Kueue decides who gets capacity in its queues.
  if (situation.state.opening === 'Open') return object.workload === undefined ? undefined : run;
  const closed: Wish = { kind: 'hold', reason: 'WindowClosed' };
  const untilMs = graceEndMs(situation, object.createdAt);
  const hasGrace = object.waits === undefined && untilMs !== undefined && untilMs > situation.nowMs;
  if (hasGrace && governedKind(object.kind).suspension.letsFinish === true)
    return { ...closed, letsFinishUntilMs: untilMs };
  return standing === 'held' || !hasGrace ? closed : { kind: 'grace', untilMs };
}

/**
 * Until when an object that ran at the closing may continue. Undefined: it may not. Later objects have no grace. The
 * time follows from the closing, so there is no timer that could be lost.
 */
function graceEndMs({ policy, state }: Situation, createdAt: string): number | undefined {
  const { action, afterSeconds = 0 } = policy.spec.schedule?.onClose ?? {};
  const { sinceMs } = state;
  // If the policy has never closed, nothing ran at its closing.
  if (sinceMs === undefined || (parseTime(createdAt) ?? Infinity) >= sinceMs) return undefined;
  switch (action ?? 'Suspend') {
    case 'Suspend':
      return undefined;
    case 'LetFinish':
      return Infinity;
    case 'SuspendAfter':
      return sinceMs + afterSeconds * 1_000;
  }
}

/** When to warn before the end of the grace. Undefined: never. */
export function warningMs({ policy }: Situation, untilMs: number): number | undefined {
  const { warnSeconds } = policy.spec.schedule?.onClose ?? {};
  return warnSeconds === undefined ? undefined : untilMs - warnSeconds * 1_000;
}
