/** Suspensions that the API server refused: those that are pending, and those that it has accepted since. */
import { type SelectedObject, writtenUid } from '../snapshot.ts';
import type { Action } from './actions.ts';
import { markOf } from './mark.ts';
import { nameOf } from '../name-of.ts';
import type { Situation } from './situation.ts';
import type { Wished } from './wish.ts';

export interface Refusals {
  /** Refused now, or earlier and not written since. */
  readonly pending: readonly SelectedObject[];
  /** Refused earlier, and suspended by now. Each is announced before the status forgets it. */
  readonly accepted: readonly SelectedObject[];
}

export function refusalsOf(
  { status, refused, policy }: Situation,
  wished: readonly Wished[],
  actions: readonly Action[],
): Refusals {
  const known = new Set(status.refused);
  const pending = actions
    .filter(({ kind }) => kind === 'suspend')
    .map(({ object }) => object)
    .filter((object) => refused.has(writtenUid(object)) || known.has(nameOf(object)));
  const accepted = wished
    .filter(({ standing }) => standing === 'held')
    .map(({ object }) => object)
    .filter(
      (object) =>
        markOf(object)?.policy === policy.metadata.uid &&
        known.has(nameOf(object)) &&
        !pending.includes(object),
    );
  return { pending, accepted };
}
