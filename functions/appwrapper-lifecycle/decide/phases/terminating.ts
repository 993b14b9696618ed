/** The wrapper is being deleted: first its resources go, then its quota, then its finalizer. */
import { wrapperFinalizer } from '#shared/domain/wrapper-keys.ts';
import { patchFinalizers } from '../finalizers.ts';
import { type Change, found, moved, noLonger, notYet } from '../outcome.ts';
import { deletionBegins, remove } from '../removal.ts';
import { type Decider, holds } from '../situation.ts';

const nothingIsLeft = 'it was deleted, and nothing of it is left';
const theyStay = 'it was deleted with --cascade=orphan, so its resources stay';

/** The API server's own: the garbage collector takes the owner references away and then this finalizer. */
const orphan = 'orphan';

function over(message: string): Change {
  return {
    news: [
      found('ResourcesDeployed', false, 'Terminating', message),
      noLonger('QuotaReserved', 'Terminating', message),
    ],
  };
}

export const terminating: Decider = (situation) => {
  const { finalizers = [] } = situation.wrapper.metadata;
  if (!finalizers.includes(wrapperFinalizer)) {
    return notYet('Terminating', 'it holds nothing up any more');
  }
  if (!holds(situation, 'ResourcesDeployed')) {
    // A foreground deletion waits for the Workload, and the Workload waits for the quota.
    if (holds(situation, 'QuotaReserved')) {
      // The phase may stay the same, so no event of this write leads to the next decision.
      const requeueAtMs = situation.nowMs;
      return moved(situation, 'Terminating', nothingIsLeft, over(nothingIsLeft), { requeueAtMs });
    }
    const left = finalizers.filter((each) => each !== wrapperFinalizer);
    const patch = patchFinalizers(situation, left);
    return { ...notYet('FinalizerRemoved', 'nothing of it is left'), plan: [[patch]] };
  }
  if (finalizers.includes(orphan)) {
    const change: Change = { phase: 'Terminating', ...over(theyStay) };
    return moved(situation, 'Orphaned', theyStay, change, { requeueAtMs: situation.nowMs });
  }
  if (situation.status.phase !== 'Terminating') {
    const news = holds(situation, 'DeletingResources') ? [] : [deletionBegins];
    return moved(situation, 'Terminating', 'it was deleted: its resources go first', {
      phase: 'Terminating',
      news,
    });
  }
  return remove(situation, over(nothingIsLeft), situation.nowMs);
};
