import type { Deliver, Delivery } from '#functions/dispatcher/deliver.ts';
import { workItemIdentity, type WorkItem } from '#shared/domain/work-item.ts';
import { faultText } from '#shared/kube/broken-connection.ts';

type OnDelivery = (delivery: Delivery) => void;

/** Returns the result of an item to the process that adds it: that of the first delivery after the call. */
export class NextDeliveries {
  readonly #asked = new Map<string, Set<OnDelivery>>();

  /** Call this before the item is added. Rejects with the signal's reason. */
  async of(item: WorkItem, signal: AbortSignal): Promise<Delivery> {
    signal.throwIfAborted();
    const identity = workItemIdentity(item);
    const { promise, resolve, reject } = Promise.withResolvers<Delivery>();
    const asked = this.#asked.get(identity) ?? new Set();
    this.#asked.set(identity, asked.add(resolve));
    const giveUp = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', giveUp);
      asked.delete(resolve);
      if (asked.size === 0 && this.#asked.get(identity) === asked) this.#asked.delete(identity);
    }
  }

  /** Wraps `deliver`, and passes on each result. */
  listeningTo(deliver: Deliver): Deliver {
    return async (item, signal) => {
      const identity = workItemIdentity(item);
      const asked = this.#asked.get(identity) ?? [];
      this.#asked.delete(identity);
      try {
        const delivery = await deliver(item, signal);
        for (const onDelivery of asked) onDelivery(delivery);
        return delivery;
      } catch (error) {
        for (const onDelivery of asked) onDelivery({ kind: 'retry', detail: faultText(error) });
        throw error;
      }
    };
  }
}
