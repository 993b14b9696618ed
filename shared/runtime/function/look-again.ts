/**
 * A plan that takes long is not carried on with on the word of its beginning: while a process stood still another
 * replica may have gone on, and what the object asked for may be over.
 */
import type { MonotonicClock } from '#shared/domain/clock.ts';
import type { Uid } from '#shared/domain/objects.ts';
import type { ApplyContext, WrittenObject } from '#shared/kube/apply-outcome.ts';
import { cannotBeUndone, currentForMs } from './view-check.ts';

export interface LookAgainParts {
  readonly clock: MonotonicClock;
  /** Of the object decided about. */
  readonly uid: Uid;
  /**
   * Whether the object is as it was decided on or, where this plan has written on it since, at that version.
   * `written`: all that is in effect. Throws what the reader throws.
   */
  readonly look: (own: string | undefined, written: readonly WrittenObject[]) => Promise<boolean>;
}

/**
 * Before a stage with something in it that cannot be undone, once more than {@link currentForMs} have passed since
 * it was known to be as it was decided on: now, or the look before. A look is believed however long it takes.
 */
export function lookAgain({
  clock,
  uid,
  look,
}: LookAgainParts): NonNullable<ApplyContext['isStillSo']> {
  let knownAtMs = clock.monotonicMs();
  const ask = async (written: readonly WrittenObject[]): Promise<boolean> => {
    const isSo = await look(lastVersionOf(uid, written), written);
    knownAtMs = clock.monotonicMs();
    return isSo;
  };
  return (stage, written) => {
    const isKnown = clock.monotonicMs() - knownAtMs <= currentForMs;
    return isKnown || !cannotBeUndone([stage]) || ask(written);
  };
}

/** At which version this plan has written the object last; undefined: it has not. */
export function lastVersionOf(uid: Uid, written: readonly WrittenObject[]): string | undefined {
  const last = written.findLast((each) => each.uid === uid && each.resourceVersion !== undefined);
  return last?.resourceVersion;
}
