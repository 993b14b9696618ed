import type { Deliver, Delivery } from '#functions/dispatcher/deliver.ts';
import { workItemIdentity, type WorkItem } from '#shared/domain/work-item.ts';
import { faultText } from '#shared/kube/broken-connection.ts';

type Tell = (delivery: Delivery) => void;

/** Reports to a process that adds an item what became of it: the first delivery that begins after it asked. */
export class NextDeliveries {
  readonly #asked = new Map<string, Set<Tell>>();

  /** Ask before adding it. Rejects with the signal's reason. */
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

  /** Delivers as before, and passes on each outcome. */
  listeningTo(deliver: Deliver): Deliver {
    return async (item, signal) => {
      const identity = workItemIdentity(item);
      const asked = this.#asked.get(identity) ?? [];
      this.#asked.delete(identity);
      try {
        const delivery = await deliver(item, signal);
        for (const tell of asked) tell(delivery);
        return delivery;
      } catch (error) {
        for (const tell of asked) tell({ kind: 'retry', detail: faultText(error) });
        throw error;
      }
    };
  }
}
