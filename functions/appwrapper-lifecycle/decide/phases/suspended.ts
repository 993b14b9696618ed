/** The wrapper waits for its start. First it gets its finalizer, then the names of its resources are recorded. */
import { wrapperFinalizer } from '#shared/domain/wrapper-keys.ts';
import { initiated } from '../component-states.ts';
import { patchFinalizers } from '../finalizers.ts';
import { found, moved, type News, notYet } from '../outcome.ts';
import { type Decider, isSuspended, type Situation } from '../situation.ts';

export const suspended: Decider = (situation) => {
  if (isSuspended(situation)) return notYet('Suspended', 'it is suspended');
  const { finalizers = [] } = situation.wrapper.metadata;
  if (!finalizers.includes(wrapperFinalizer)) {
    const patch = patchFinalizers(situation, [...finalizers, wrapperFinalizer]);
    const message = 'it stays from now on until its resources are gone';
    return { ...notYet('FinalizerAdded', message), plan: [[patch]] };
  }
  const message = 'its resources are being created';
  const { resettingCount: counted = 0 } = situation.status;
  const news = [
    found('QuotaReserved', true, 'Resuming', 'it is not suspended'),
    ...resumingNews(message),
  ];
  return moved(situation, 'Resuming', message, {
    phase: 'Resuming',
    ...(counted > 0 && situation.rules.countsPerAdmission ? { resettingCount: 0 } : {}),
    components: initiatedAll(situation),
    news,
  });
};

/** Health is reset: earlier failures do not count in the next try. */
export function resumingNews(message: string): readonly News[] {
  return [
    found('ResourcesDeployed', true, 'Resuming', message),
    found('PodsReady', false, 'Resuming', message),
    found('Unhealthy', false, 'Resuming', message),
  ];
}

export function initiatedAll(situation: Situation) {
  return situation.parts.map((part) => initiated(situation, part));
}
