/**
 * Every function, by its folder. A new one is a new folder and two words here; all else that has to
 * know of it derives from what it declares.
 */
import type { KindDefinition } from '#shared/api/kind-definition.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import type { Subscription } from '#shared/subscription/subscription.ts';
import { appwrapperLifecycle } from './appwrapper-lifecycle/function.ts';
import { daemonFanout } from './daemon-fanout/function.ts';
import { flowAdvance } from './flow-advance/function.ts';
import { kueueWorkloadSync } from './kueue-workload-sync/function.ts';
import { suspendSchedule } from './suspend-schedule/function.ts';

export const functions: readonly EventFunction[] = [
  flowAdvance,
  daemonFanout,
  suspendSchedule,
  kueueWorkloadSync,
  appwrapperLifecycle,
];

/** Every kind that Millrace brings. */
export const kinds: readonly KindDefinition[] = functions.flatMap(
  ({ subscription }) => subscription.kinds,
);

export const subscriptions: readonly Subscription[] = functions.map((fn) => fn.subscription);
