/** kueue-workload-sync: submits queued jobs to Kueue, and starts and stops them as Kueue decides. */
import type { Static } from 'typebox';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import { assuming } from './assuming.ts';
import { decide } from './decide.ts';
import { observe } from './observe.ts';
import { type QueueRules, queueSettings, rulesOf } from './queue-settings.ts';
import type { QueueSnapshot } from './snapshot.ts';
import { takesForAbsent } from './stops-job.ts';
import { subscription } from './subscription.ts';

export const kueueWorkloadSync: EventFunction<QueueSnapshot> = {
  ...syncWith(),
  configurable: {
    schema: queueSettings,
    configuredBy: (settings: Static<typeof queueSettings>) => syncWith(rulesOf(settings)),
  },
};

/** `rules` absent: the default rules. */
export function syncWith(rules?: QueueRules): EventFunction<QueueSnapshot> {
  return {
    subscription,
    observe: (key, reader) => observe(key, reader, rules),
    decide,
    assuming,
    // A Workload loses no field that its podSets need.
    secondLook: {
      knowing: (snapshot, { rejections }) => ({
        ...snapshot,
        rejections: [...snapshot.rejections, ...rejections],
      }),
      takesForAbsent,
    },
  };
}
