/** suspend-schedule: suspends and resumes work by the schedules and capacities of suspend policies. */
import type { KindDefinition } from '#shared/api/kind-definition.ts';
import { suspendPolicyKind } from '#shared/api/suspend-policy.ts';
import type { Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import { decide } from './decide.ts';
import { observe } from './observe.ts';
import { withRejections, type SuspendSnapshot } from './snapshot.ts';
import { subscriptionOf } from './subscription.ts';

/** One for each kind of policy: they differ in nothing but where they select. */
export function scheduleFunction(
  name: string,
  decides: Resource,
  kind: KindDefinition,
): EventFunction<SuspendSnapshot> {
  return {
    subscription: subscriptionOf(name, decides, kind),
    observe: (key, reader, { exempt } = {}) => observe(decides, key, reader, exempt),
    decide,
    withRejections,
    // Nothing is created, so nothing of it is lost.
    withWarnings: (snapshot) => snapshot,
  };
}

export const suspendSchedule = scheduleFunction(
  'suspend-schedule',
  resources.SuspendPolicy,
  suspendPolicyKind,
);
