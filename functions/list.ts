/**
 * Every function. A new one needs a new folder and an entry here. Everything else that has to know it
 * derives from its declaration.
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

/** Every kind that Millrace installs. */
export const kinds: readonly KindDefinition[] = functions.flatMap(
  ({ subscription }) => subscription.kinds,
);

export const subscriptions: readonly Subscription[] = functions.map((fn) => fn.subscription);
