/** The objects that a policy with a capacity has resumed last (suspend-7). */
import type { SuspendPolicyStatus } from '#shared/api/suspend-policy.ts';
import { mostNamed } from '#shared/api/suspend-policy-status.ts';
import { nameOf } from '../name-of.ts';
import { writtenUid } from '../snapshot.ts';
import type { Action } from './actions.ts';
import type { Situation } from './situation.ts';

type LastResumed = NonNullable<SuspendPolicyStatus['lastResumed']>;

export interface Resumptions {
  /** Absent: no list is kept. */
  readonly lastResumed?: LastResumed;
  /** The list has a new entry. */
  readonly isNew: boolean;
}

/** `now`: the actions of this decision. */
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
