/** Chooses the one of several policies that decides about an object. */
import { suspendPolicyDefaults } from '#shared/api/suspend-policy.ts';
import { byAuthority, type Claim } from '#shared/suspension/claim.ts';
import type { SelectedObject } from '../snapshot.ts';
import type { Situation } from './situation.ts';

export interface Authority {
  /** Key of the policy that decides. */
  readonly decides: string;
  /** Keys of policies whose schedules contradict that of the deciding one, or whose capacity has no effect. */
  readonly disagree: readonly string[];
}

export function authorityOver(situation: Situation, object: SelectedObject): Authority {
  const own = ownClaim(situation);
  const rivals = rivalClaims(situation, object);
  const [first = own] = [own, ...rivals].sort(byAuthority);
  return {
    decides: first.key,
    disagree: rivals
      .filter(({ isOpen, key }) => isOpen !== own.isOpen || (own.hasCapacity && key === first.key))
      .map(({ key }) => key),
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
