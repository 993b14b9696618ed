/** After a fault the resources are deleted, and created again after a pause. The quota is kept. */
import { rfc3339 } from '#shared/domain/time.ts';
import { found, moved, notYet } from '../outcome.ts';
import { remove } from '../removal.ts';
import { type Decider, holds, isSuspended, sinceMs } from '../situation.ts';
import { initiatedAll, resumingNews } from './suspended.ts';
import { suspend } from './suspending.ts';

export const resetting: Decider = (situation) => {
  if (isSuspended(situation)) return suspend(situation);
  const { nowMs, settings } = situation;
  const dueMs = sinceMs(situation, 'Unhealthy') + settings.retryPauseMs;
  if (holds(situation, 'ResourcesDeployed')) {
    const at = dueMs > nowMs ? ` at ${rfc3339(dueMs)}` : '';
    const message = `its resources are gone, and will be created again${at}`;
    const news = [found('ResourcesDeployed', false, 'Resetting', message)];
    return remove(situation, { news }, Math.max(dueMs, nowMs));
  }
  if (nowMs < dueMs) return notYet('RetryPause', 'it waits before the next try', dueMs);
  const message = 'its resources are being created once more';
  return moved(situation, 'Resuming', message, {
    phase: 'Resuming',
    components: initiatedAll(situation),
    news: resumingNews(message),
  });
};
