/** The resources are deleted, then the quota is returned. This completes even if the wrapper is resumed meanwhile. */
import type { Decision } from '#shared/domain/decision.ts';
import { event, found, moved, noLonger } from '../outcome.ts';
import { deletionBegins, remove } from '../removal.ts';
import { conditionOf, type Decider, type Situation } from '../situation.ts';

export function suspend(situation: Situation): Decision {
  const message = 'it was suspended: its resources are being deleted';
  const occurrence = conditionOf(situation, 'ResourcesDeployed')?.lastTransitionTime ?? '';
  return moved(
    situation,
    'Suspending',
    message,
    { phase: 'Suspending', news: [deletionBegins] },
    { events: [event(situation, 'Normal', 'Suspending', message, occurrence)] },
  );
}

export const suspending: Decider = (situation) => {
  const message = 'it is suspended and nothing of it is left';
  return remove(situation, {
    phase: 'Suspended',
    news: [
      found('ResourcesDeployed', false, 'Suspended', message),
      found('QuotaReserved', false, 'Suspended', message),
      noLonger('PodsReady', 'Suspended', message),
      noLonger('Unhealthy', 'Suspended', message),
    ],
  });
};
