/** The amount that may run at once, and the amount that an object takes. */
import type { ClusterSuspendPolicySpec } from '#shared/api/suspend-policy.ts';
import { ownMember, setOwnMember } from '#shared/domain/own-member.ts';
import { parseQuantity } from '#shared/domain/quantity.ts';
import type { SelectedObject } from '../snapshot.ts';

/** Amounts by name: `jobs`, and resources. */
export type Amounts = Readonly<Record<string, number>>;

const jobs = 'jobs';
/** Sums of thousandths of a CPU are not exact. */
const tolerance = 1e-6;

/** Undefined: there is no limit. */
export function capacityOf({ capacity }: ClusterSuspendPolicySpec): Amounts | undefined {
  if (capacity === undefined) return undefined;
  const limits = Object.entries(capacity.resources ?? {}).map(
    ([name, quantity]) => [name, parseQuantity(quantity) ?? 0] as const,
  );
  return {
    ...Object.fromEntries(limits),
    ...(capacity.maxJobs === undefined ? {} : { [jobs]: capacity.maxJobs }),
  };
}

export function amountsOf({ requests = {} }: SelectedObject): Amounts {
  return { ...requests, [jobs]: 1 };
}

export function plus(left: Amounts, right: Amounts): Amounts {
  const sum: Record<string, number> = { ...left };
  for (const [name, amount] of Object.entries(right)) {
    setOwnMember(sum, name, (ownMember(sum, name) ?? 0) + amount);
  }
  return sum;
}

export function minus(left: Amounts, right: Amounts): Amounts {
  const negative = Object.entries(right).map(([name, amount]) => [name, -amount] as const);
  return plus(left, Object.fromEntries(negative));
}

/** Amounts without a limit are ignored. */
export function fits(limit: Amounts, amounts: Amounts): boolean {
  return Object.entries(limit).every(
    ([name, most]) => (ownMember(amounts, name) ?? 0) <= most * (1 + tolerance),
  );
}
