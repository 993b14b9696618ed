/**
 * Every function, by its folder. A new one is a new folder and two words here; all else that has to
 * know of it derives from what it declares.
 */
import { daemonJobKind } from '#shared/api/daemon-job.ts';
import type { KindDefinition } from '#shared/api/kind-definition.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import type { Subscription } from '#shared/subscription/subscription.ts';
import { flowAdvance } from './flow-advance/function.ts';

export const functions: readonly EventFunction[] = [flowAdvance];

/** Every kind that Millrace brings. */
export const kinds: readonly KindDefinition[] = [
  ...functions.flatMap(({ subscription }) => subscription.kinds),
  daemonJobKind,
];

export const subscriptions: readonly Subscription[] = functions.map((fn) => fn.subscription);
