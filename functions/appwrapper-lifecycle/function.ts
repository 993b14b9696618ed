/** appwrapper-lifecycle: creates, watches and deletes what an AppWrapper wraps. */
import type { Static } from 'typebox';
import { submitterOf } from '#shared/domain/submitter.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import { decide } from './decide.ts';
import { takenForAbsent } from './decide/taken-for-absent.ts';
import { lifecycleSettings, rulesOf } from './lifecycle-settings.ts';
import { observe } from './observe.ts';
import type { WrapperRules } from './rules.ts';
import type { LifecycleSnapshot } from './snapshot.ts';
import { subscription } from './subscription.ts';

export const appwrapperLifecycle: EventFunction<LifecycleSnapshot> = {
  ...lifecycleWith(),
  configurable: {
    schema: lifecycleSettings,
    configuredBy: (settings: Static<typeof lifecycleSettings>) => lifecycleWith(rulesOf(settings)),
  },
};

/** `rules` absent: the default rules. */
function lifecycleWith(rules?: WrapperRules): EventFunction<LifecycleSnapshot> {
  return {
    subscription,
    observe: (key, reader) => observe(key, reader, rules),
    decide,
    submitterOf: ({ wrapper }) => submitterOf(wrapper.metadata),
    secondLook: {
      knowing: (snapshot, { rejections }) => ({
        ...snapshot,
        rejections: [...snapshot.rejections, ...rejections],
      }),
      takesForAbsent: takenForAbsent,
    },
  };
}
