/**
 * Every function, by its folder. A new one is a new folder and two words here; all else that has to
 * know of it derives from what it declares.
 */
import { appWrapperKind } from '#shared/api/app-wrapper.ts';
import type { KindDefinition } from '#shared/api/kind-definition.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import type { Subscription } from '#shared/subscription/subscription.ts';
import { daemonFanout } from './daemon-fanout/function.ts';
import { flowAdvance } from './flow-advance/function.ts';
import { kueueWorkloadSync } from './kueue-workload-sync/function.ts';
import { suspendSchedule } from './suspend-schedule/function.ts';

export const functions: readonly EventFunction[] = [
  flowAdvance,
  daemonFanout,
  suspendSchedule,
  kueueWorkloadSync,
];

/** Every kind that Millrace brings. */
export const kinds: readonly KindDefinition[] = [
  ...functions.flatMap(({ subscription }) => subscription.kinds),
  // Of no function yet: appwrapper-lifecycle brings it along once it is in the list.
  appWrapperKind,
];

export const subscriptions: readonly Subscription[] = functions.map((fn) => fn.subscription);
