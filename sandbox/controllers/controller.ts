/**
 * What plays kube-controller-manager, kube-scheduler and the kubelets in a sandbox.
 *
 * controller-1 A controller is level-triggered: `reconcile` reads the store anew; events only name
 *    keys.
 * controller-2 Time comes from the clock, chance from the random source; nobody sleeps, a moment to
 *    look again is returned instead.
 * controller-3 Reads see every write at once: everything happens in one thread, synchronously.
 */
import type { Clock, Random } from '#shared/domain/clock.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import type { ApiCall } from '../api/api-call.ts';
import type { ResourceType } from '../registry/resource-type.ts';
import type { ObjectStore, StoreEvent } from '../store/object-store.ts';

/** The part of the sandbox's API that controllers stand on. */
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
  /** Whose turn it is after a write; without effect on anything but the controller's own memory. */
  keysFor(event: StoreEvent): readonly string[];
  /**
   * Does what is due and returns when to look again, in milliseconds since the epoch; a later
   * answer for the same key replaces an earlier one. Throws StatusError: to be tried again.
   */
  reconcile(key: string, context: ControllerContext): number | undefined;
  /** Called once: how to ask for a turn when something happened that is no write. */
  wakeBy?(wake: (key: string) => void): void;
}

/** The earliest of several moments to look again. */
export function earliest(...moments: readonly (number | undefined)[]): number | undefined {
  const known = moments.filter((moment) => moment !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
