/** appwrapper-lifecycle: creates, watches and deletes what an AppWrapper wraps. */
import { resources } from '#shared/domain/resources.ts';
import { submitterOf } from '#shared/domain/submitter.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import { decide } from './decide.ts';
import { restsOnAbsentPods } from './decide/rests-on-absent-pods.ts';
import { observe } from './observe.ts';
import type { LifecycleSnapshot } from './snapshot.ts';
import { subscription } from './subscription.ts';

export const appwrapperLifecycle: EventFunction<LifecycleSnapshot> = {
  subscription,
  observe: (key, reader) => observe(key, reader),
  decide,
  submitterOf: ({ wrapper }) => submitterOf(wrapper.metadata),
  secondLook: {
    knowing: (snapshot, { rejections }) => ({
      ...snapshot,
      rejections: [...snapshot.rejections, ...rejections],
    }),
    takesForAbsent: (_snapshot, decision) =>
      restsOnAbsentPods(decision) ? resources.Pod : undefined,
  },
};
