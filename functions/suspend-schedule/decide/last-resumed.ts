/** What a policy with a capacity has let in last (S7 of suspend-schedule/decide.ts). */
import type { SuspendPolicyStatus } from '#shared/api/suspend-policy.ts';
import { mostNamed } from '#shared/api/suspend-policy-status.ts';
import { nameOf } from '../name-of.ts';
import { writtenUid } from '../snapshot.ts';
import type { Action } from './actions.ts';
import type { Situation } from './situation.ts';

type LastResumed = NonNullable<SuspendPolicyStatus['lastResumed']>;

export interface Resumptions {
  /** Absent: none is kept. */
  readonly lastResumed?: LastResumed;
  /** Something is on it that was not there before. */
  readonly isNew: boolean;
}

/** `now`: what is done with this decision. */
export function resumptionsIn(situation: Situation, now: readonly Action[]): Resumptions {
  const { policy, snapshot, status } = situation;
  if (policy.spec.capacity === undefined) return { isNew: false };
  const fresh = now
    .filter(({ kind, object }) => kind === 'resume' && object.workload === undefined)
    .filter(({ object }) => object.isStarting !== true)
    .map(({ object }) => ({ object: nameOf(object), resourceVersion: object.resourceVersion }));
  const refused = snapshot.objects.filter((object) => situation.refused.has(writtenUid(object)));
  const isOver = new Set([...fresh.map(({ object }) => object), ...refused.map(nameOf)]);
  const before = status.lastResumed ?? [];
  const kept = before.filter(({ object }) => !isOver.has(object)).slice(0, mostNamed);
  const lastResumed = [...fresh, ...kept];
  if (lastResumed.length === 0) return { isNew: false };
  return { lastResumed, isNew: fresh.length > 0 };
}
