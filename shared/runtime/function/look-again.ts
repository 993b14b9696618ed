/**
 * Checks during a long plan whether its start still holds. While the process stood still, another replica may have
 * acted, and the object may have ended.
 */
import type { MonotonicClock } from '#shared/domain/clock.ts';
import type { Uid } from '#shared/domain/objects.ts';
import type { ApplyContext, WrittenObject } from '#shared/kube/apply-outcome.ts';
import { cannotBeUndone, currentForMs } from './view-check.ts';

export interface LookAgainParts {
  readonly clock: MonotonicClock;
  /** Uid of the decided object. */
  readonly uid: Uid;
  /**
   * Whether the object is as it was decided on, or at the version that this plan has written since. `written`: all
   * writes in effect. Throws the reader's errors.
   */
  readonly look: (own: string | undefined, written: readonly WrittenObject[]) => Promise<boolean>;
}

/**
 * Looks before a stage with an irreversible write, if the last proof is older than {@link currentForMs}. The first
 * proof is this call, later ones are the looks. A look is trusted however long it takes.
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

/** The version of this plan's last write to the object. Undefined: it has not written it. */
export function lastVersionOf(uid: Uid, written: readonly WrittenObject[]): string | undefined {
  const last = written.findLast((each) => each.uid === uid && each.resourceVersion !== undefined);
  return last?.resourceVersion;
}
