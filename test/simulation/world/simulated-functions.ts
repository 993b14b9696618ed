/** The functions that run in the simulation: those whose world it has a model of. */
import { flowAdvance } from '#functions/flow-advance/function.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import type { Subscription } from '#shared/subscription/subscription.ts';

export const functions: readonly EventFunction[] = [flowAdvance];
export const subscriptions: readonly Subscription[] = functions.map((fn) => fn.subscription);
