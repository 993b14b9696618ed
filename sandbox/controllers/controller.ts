/**
 * The interface of the sandbox's controllers, which replace kube-controller-manager, kube-scheduler
 * and the kubelets.
 *
 * controller-1 A controller is level-triggered: `reconcile` reads the store, and events only name
 *    keys.
 * controller-2 Time comes from the clock and randomness from the random source. A controller does
 *    not sleep: it returns the time of its next look.
 * controller-3 Reads see every write at once: everything happens synchronously in one thread.
 */
import type { Clock, Random } from '#shared/domain/clock.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import type { ApiCall } from '../api/api-call.ts';
import type { ResourceType } from '../registry/resource-type.ts';
import type { ObjectStore, StoreEvent } from '../store/object-store.ts';

/** The part of the sandbox's API that controllers use. */
export interface ControllerApi {
  readonly store: ObjectStore;
  readonly types: {
    byPath(group: string, version: string, plural: string): ResourceType | undefined;
    byKind(group: string, version: string, kind: string): ResourceType | undefined;
    all(): readonly ResourceType[];
  };
  /** Throws StatusError. */
  handleNow(call: ApiCall): { readonly body: KubeObject | object };
}

export interface ControllerContext {
  readonly api: ControllerApi;
  readonly clock: Clock;
  readonly random: Random;
}

export interface Controller {
  readonly name: string;
  /** The keys to reconcile after a write. Changes nothing but the controller's own memory. */
  keysFor(event: StoreEvent): readonly string[];
  /**
   * Does what is due and returns the time of the next look, in milliseconds since the epoch. A
   * later result for the same key replaces an earlier one. Throws StatusError if it must be tried
   * again.
   */
  reconcile(key: string, context: ControllerContext): number | undefined;
  /** Called once with a function that requests a turn after something that is not a write. */
  wakeBy?(wake: (key: string) => void): void;
}

/** The earliest of several times. */
export function earliest(...moments: readonly (number | undefined)[]): number | undefined {
  const known = moments.filter((moment) => moment !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
