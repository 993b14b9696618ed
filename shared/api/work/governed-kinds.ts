/** The kinds of work that suspend policies may govern. */
import type { Suspension, WorkKind } from './work-kind.ts';
import { workKinds } from './work-kinds.ts';

export interface GovernedKind extends WorkKind {
  readonly suspension: Suspension;
}

export const governedKinds: readonly GovernedKind[] = workKinds.filter(isGoverned);

/** Names of those that a policy governs which names none. */
export const governedByDefault: readonly string[] = governedKinds
  .filter(({ isOptional }) => isOptional !== true)
  .map(({ resource }) => resource.kind);

/** Names of those in which work waits: Kueue says who gets room there. */
export const queueKinds: readonly string[] = governedKinds
  .filter(({ suspension }) => suspension.isQueue === true)
  .map(({ resource }) => resource.kind);

const byKind = new Map(governedKinds.map((each) => [each.resource.kind, each]));

/** By the name that policies call it; undefined: no policy governs it. */
export function governedKindNamed(kind: string): GovernedKind | undefined {
  return byKind.get(kind);
}

/** Throws where no policy governs the kind: nothing of such a kind is decided about. */
export function governedKind(kind: string): GovernedKind {
  const known = governedKindNamed(kind);
  if (known === undefined) throw new Error(`no policy governs a ${kind}`);
  return known;
}

function isGoverned(kind: WorkKind): kind is GovernedKind {
  return kind.suspension !== undefined;
}
