/** The wrapper has failed for good. Its resources may be kept for inspection for a while, and its quota with them. */
import { found, moved, notYet } from '../outcome.ts';
import { remove } from '../removal.ts';
import { conditionOf, type Decider, holds, isSuspended, sinceMs } from '../situation.ts';

export const failed: Decider = (situation) => {
  if (!holds(situation, 'ResourcesDeployed')) return notYet('Failed', 'it has failed');
  const { nowMs, settings } = situation;
  const dueMs = sinceMs(situation, 'Finished') + settings.deletionOnFailureGraceMs;
  if (nowMs < dueMs && !isSuspended(situation) && !holds(situation, 'DeletingResources')) {
    const message = 'its resources are kept to be looked at';
    const news = [found('DeletingResources', false, 'DeletionPaused', message)];
    return moved(situation, 'DeletionPaused', message, { news }, { requeueAtMs: dueMs });
  }
  const why = conditionOf(situation, 'Finished')?.message ?? 'it has failed';
  const message = isSuspended(situation) ? `${why}; it was suspended since` : why;
  const news = [
    found('ResourcesDeployed', false, 'Failed', message),
    found('QuotaReserved', false, 'Failed', message),
  ];
  return remove(situation, { news });
};
