/** Which of several policies decides about an object. */
import { suspendPolicyDefaults } from '#shared/api/suspend-policy.ts';
import { compareTexts } from '#shared/domain/compare-texts.ts';
import type { SelectedObject } from '../snapshot.ts';
import type { Situation } from './situation.ts';

interface Claim {
  readonly key: string;
  readonly precedence: number;
  /** It may have to hold while it is open. */
  readonly hasCapacity: boolean;
  readonly isOpen: boolean;
}

export interface Authority {
  /** Key of the policy that decides. */
  readonly decides: string;
  /** Keys of policies whose schedules want otherwise than that of this one. */
  readonly disagree: readonly string[];
}

/**
 * The highest precedence; among equals one that is closed, then one with a capacity, then the first by
 * its key.
 */
export function authorityOver(situation: Situation, object: SelectedObject): Authority {
  const own = ownClaim(situation);
  const rivals = rivalClaims(situation, object);
  const [first = own] = [own, ...rivals].sort(byAuthority);
  return {
    decides: first.key,
    disagree: rivals.filter(({ isOpen }) => isOpen !== own.isOpen).map(({ key }) => key),
  };
}

function ownClaim({ key, policy, state }: Situation): Claim {
  return {
    key,
    precedence: policy.spec.precedence ?? suspendPolicyDefaults.precedence,
    hasCapacity: policy.spec.capacity !== undefined,
    isOpen: state.opening === 'Open',
  };
}

function rivalClaims({ snapshot, rivals }: Situation, object: SelectedObject): readonly Claim[] {
  return (object.rivals ?? []).flatMap((index) => {
    const rival = snapshot.rivals[index];
    if (rival === undefined) return [];
    const { key, precedence, hasCapacity } = rival;
    return [{ key, precedence, hasCapacity, isOpen: rivals[index]?.opening !== 'Closed' }];
  });
}

function byAuthority(left: Claim, right: Claim): number {
  return (
    right.precedence - left.precedence ||
    Number(left.isOpen) - Number(right.isOpen) ||
    Number(right.hasCapacity) - Number(left.hasCapacity) ||
    compareTexts(left.key, right.key)
  );
}
