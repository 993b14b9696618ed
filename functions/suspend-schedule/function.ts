/** suspend-schedule: suspends and resumes work by the schedules and capacities of suspend policies. */
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import { assuming } from './assuming.ts';
import { decide } from './decide.ts';
import { observe } from './observe.ts';
import { withRejections, type SuspendSnapshot } from './snapshot.ts';
import { subscription } from './subscription.ts';

/** For policies of a namespace and of the cluster, which differ only in what they select. */
export const suspendSchedule: EventFunction<SuspendSnapshot> = {
  subscription,
  observe: (key, reader, { exempt } = {}) => observe(key, reader, exempt),
  decide,
  assuming,
  // Nothing is created, so no field can be lost.
  secondLook: { knowing: (snapshot, { rejections }) => withRejections(snapshot, rejections) },
};
