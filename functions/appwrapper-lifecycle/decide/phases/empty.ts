/** A new wrapper: its podSets are recorded now and never inferred again. */
import { podSetsOf } from '#shared/api/wrapped/pod-sets.ts';
import { moved } from '../outcome.ts';
import type { Decider } from '../situation.ts';

export const empty: Decider = (situation) => {
  const components = situation.parts.map(({ component, recorded }) => ({
    ...recorded,
    podSets: podSetsOf(component),
  }));
  const change = { phase: 'Suspended', components } as const;
  return moved(situation, 'Recorded', 'its podSets are on record', change);
};
