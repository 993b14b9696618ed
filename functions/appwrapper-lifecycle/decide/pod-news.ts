/** What conditions say of Pods, in the same words before the first of them exists and after. */
import { found, type News, noLonger } from './outcome.ts';

export const noFailedPods = noLonger('Unhealthy', 'FoundNoFailedPods', 'no Pod has failed');

export function tooFewRun(expected: number): News {
  const message = `of ${expected} Pods not all run yet`;
  return found('PodsReady', false, 'InsufficientPodsReady', message);
}
