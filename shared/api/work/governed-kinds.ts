/** The kinds of work that suspend policies may govern. */
import type { Suspension, WorkKind } from './work-kind.ts';
import { workKinds } from './work-kinds.ts';

export interface GovernedKind extends WorkKind {
  readonly suspension: Suspension;
}

export const governedKinds: readonly GovernedKind[] = workKinds.filter(isGoverned);

/** Names of the kinds that a policy without `kinds` governs. */
export const governedByDefault: readonly string[] = governedKinds
  .filter(({ isOptional }) => isOptional !== true)
  .map(({ resource }) => resource.kind);

/** Names of the kinds that work waits in: Kueue assigns the capacity there. */
export const queueKinds: readonly string[] = governedKinds
  .filter(({ suspension }) => suspension.isQueue === true)
  .map(({ resource }) => resource.kind);

const byKind = new Map(governedKinds.map((each) => [each.resource.kind, each]));

/** By the name that policies use. Undefined: no policy governs the kind. */
export function governedKindNamed(kind: string): GovernedKind | undefined {
  return byKind.get(kind);
}

/** Throws if no policy governs the kind, because such a kind is never decided about. */
export function governedKind(kind: string): GovernedKind {
  const known = governedKindNamed(kind);
  if (known === undefined) throw new Error(`no policy governs a ${kind}`);
  return known;
}

function isGoverned(kind: WorkKind): kind is GovernedKind {
  return kind.suspension !== undefined;
}
