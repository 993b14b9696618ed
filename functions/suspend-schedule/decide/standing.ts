/** The relation of an object to the policy, before any decision about it. */
import { suspendPolicyDefaults } from '#shared/api/suspend-policy.ts';
import type { SelectedObject } from '../snapshot.ts';
import { markOf } from './mark.ts';
import { overrideAt, type Override, readOverride } from '#shared/suspension/override.ts';
import type { Situation } from './situation.ts';

export type Standing =
  /** It may run, and the policy may suspend it. */
  | 'running'
  /** A policy suspended it, or it was submitted suspended and adopted: the policy resumes it. */
  | 'held'
  /** A user resumed it or set it otherwise by hand: it is left alone until the next transition. */
  | 'resumedByHand'
  /** It was suspended otherwise, or the policy does not adopt it. */
  | 'foreign'
  /** Another controller decides whether it is suspended. */
  | 'untouchable';

export interface Governed {
  readonly object: SelectedObject;
  readonly standing: Standing;
  readonly override?: Override;
  /** An annotation or label of the object that has no effect. */
  readonly unreadable?: Unreadable;
}

interface Unreadable {
  /** Reason of the Event. */
  readonly reason: 'OverrideIgnored' | 'PriorityIgnored';
  readonly message: string;
}

export function governed(situation: Situation, object: SelectedObject): Governed {
  return {
    object,
    standing: standingOf(situation, object),
    ...overrideOn(situation, object),
  };
}

function overrideOn(
  situation: Situation,
  { override: text, priorityFault }: SelectedObject,
): Pick<Governed, 'override' | 'unreadable'> {
  const other: Pick<Governed, 'unreadable'> =
    priorityFault === undefined
      ? {}
      : { unreadable: { reason: 'PriorityIgnored', message: priorityFault } };
  if (text === undefined) return other;
  if (forbidsOverrides(situation)) return ignored(`${situation.key} forbids overrides`);
  const read = readOverride(text);
  if (typeof read === 'string') return ignored(read);
  const override = overrideAt(text, situation.nowMs);
  return override === undefined ? other : { ...other, override };
}

function ignored(why: string): Pick<Governed, 'unreadable'> {
  const message = `millrace.dev/suspend-override has no effect: ${why}`;
  return { unreadable: { reason: 'OverrideIgnored', message } };
}

function forbidsOverrides({ policy }: Situation): boolean {
  return policy.spec.overrides === 'Forbid';
}

/** While it runs, it counts in the policy's capacity. */
export function takesRoom({ object, standing }: Governed): boolean {
  const isIts = standing !== 'foreign' && standing !== 'untouchable';
  return isIts && object.workload === undefined;
}

/** It runs, or was let in and is not seen to run yet. */
export function hasPlace({ suspend, isStarting }: SelectedObject): boolean {
  return !suspend || isStarting === true;
}

function standingOf(situation: Situation, object: SelectedObject): Standing {
  const { policy, period } = situation;
  if (object.untouchable !== undefined) return 'untouchable';
  // The view may still show the object as it was before the policy adopted it.
  if (object.isStarting === true) return 'held';
  const adopt = policy.spec.adopt ?? suspendPolicyDefaults.adopt;
  const mark = markOf(object);
  const isOfNow = mark?.policy === policy.metadata.uid && mark.period === period;
  if (object.isSetOtherwise === true) return isOfNow ? 'resumedByHand' : 'foreign';
  if (object.suspend) {
    if (mark !== undefined) return 'held';
    // An object that has run was suspended on purpose by a user, and only a user resumes it.
    const isFresh = !object.hasRun && object.resumedBy === undefined;
    return adopt !== 'Running' && isFresh ? 'held' : 'foreign';
  }
  // When a policy resumes an object, it removes the mark in the same write.
  if (isOfNow) return forbidsOverrides(situation) ? 'running' : 'resumedByHand';
  const isTaken = adopt !== 'Suspended' || mark !== undefined || object.resumedBy !== undefined;
  return isTaken ? 'running' : 'foreign';
}
