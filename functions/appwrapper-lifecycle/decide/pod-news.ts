/** Conditions about Pods, worded alike before and after the first Pod exists. */
import { found, type News, noLonger } from './outcome.ts';

export const noFailedPods = noLonger('Unhealthy', 'FoundNoFailedPods', 'no Pod has failed');

export function tooFewRun(expected: number): News {
  const message =
    expected === 1 ? 'its Pod does not run yet' : `not all of its ${expected} Pods run yet`;
  return found('PodsReady', false, 'InsufficientPodsReady', message);
}
