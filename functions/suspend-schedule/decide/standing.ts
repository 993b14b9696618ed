/** How an object stands to the policy, before anything is decided about it. */
import { suspendPolicyDefaults } from '#shared/api/suspend-policy.ts';
import type { SelectedObject } from '../snapshot.ts';
import { markOf } from './mark.ts';
import { overrideAt, type Override, readOverride } from '#shared/suspension/override.ts';
import type { Situation } from './situation.ts';

export type Standing =
  /** It may run, and is the policy's to suspend. */
  | 'running'
  /** Suspended by a policy, or submitted so and taken: it is the policy's to resume. */
  | 'held'
  /** Somebody resumed it by hand, or stopped it otherwise: left alone until the next transition. */
  | 'resumedByHand'
  /** Suspended by somebody else, or not taken by the policy. */
  | 'foreign'
  /** Something else sees to whether it is suspended. */
  | 'untouchable';

export interface Governed {
  readonly object: SelectedObject;
  readonly standing: Standing;
  readonly override?: Override;
  /** What is written on it and has no effect. */
  readonly unreadable?: Unreadable;
}

interface Unreadable {
  /** Of the Event. */
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

/** While it runs it is counted in the capacity of the policy. */
export function takesRoom({ object, standing }: Governed): boolean {
  const isIts = standing !== 'foreign' && standing !== 'untouchable';
  return isIts && object.workload === undefined;
}

/** It runs, or is let in and not seen to run yet. */
export function hasPlace({ suspend, isStarting }: SelectedObject): boolean {
  return !suspend || isStarting === true;
}

function standingOf(situation: Situation, object: SelectedObject): Standing {
  const { policy, period } = situation;
  if (object.untouchable !== undefined) return 'untouchable';
  // By what is seen it may be of before the policy took it, and a person's to resume.
  if (object.isStarting === true) return 'held';
  const adopt = policy.spec.adopt ?? suspendPolicyDefaults.adopt;
  const mark = markOf(object);
  const isOfNow = mark?.policy === policy.metadata.uid && mark.period === period;
  if (object.isSetOtherwise === true) return isOfNow ? 'resumedByHand' : 'foreign';
  if (object.suspend) {
    if (mark !== undefined) return 'held';
    // What has run was suspended by somebody on purpose: nobody but a person resumes it.
    const isFresh = !object.hasRun && object.resumedBy === undefined;
    return adopt !== 'Running' && isFresh ? 'held' : 'foreign';
  }
  // A resumption for a policy takes the mark away in the same write.
  if (isOfNow) return forbidsOverrides(situation) ? 'running' : 'resumedByHand';
  const isTaken = adopt !== 'Suspended' || mark !== undefined || object.resumedBy !== undefined;
  return isTaken ? 'running' : 'foreign';
}
