/** A policy's claim on an object that several policies select. */
import { compareTexts } from '#shared/domain/compare-texts.ts';

export interface Claim {
  /** Key of the policy. */
  readonly key: string;
  readonly precedence: number;
  /** It may have to hold work even while it is open. */
  readonly hasCapacity: boolean;
  readonly isOpen: boolean;
}

/**
 * The highest precedence first. Among equals a closed one, then one with a capacity, then the first by
 * key.
 */
export function byAuthority(left: Claim, right: Claim): number {
  return (
    right.precedence - left.precedence ||
    Number(left.isOpen) - Number(right.isOpen) ||
    Number(right.hasCapacity) - Number(left.hasCapacity) ||
    compareTexts(left.key, right.key)
  );
}
