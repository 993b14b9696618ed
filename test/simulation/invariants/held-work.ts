/**
 * The content of the queue's store, counted from the outside by the calls in their order of
 * arrival. An item whose wait is over counts as waiting, even before it is fetched.
 */
import type { MonotonicClock } from '#shared/domain/clock.ts';
import { type WorkItem, workItemIdentity } from '#shared/domain/work-item.ts';
import type { MemoryQueue } from '#shared/queue/memory-queue.ts';
import type { ItemState, Lease, QueueDepth } from '#shared/queue/work-queue.ts';

type Held =
  | { readonly kind: 'waiting' | 'parked' }
  | { readonly kind: 'running'; readonly lease: AbortSignal; readonly isWoken: boolean }
  | { readonly kind: 'delayed'; readonly dueMs: number };

export class HeldWork {
  /** By the identity of the item. */
  readonly #held = new Map<string, Held>();
  /** The store's clock. */
  readonly #clock: MonotonicClock;

  constructor(clock: MonotonicClock) {
    this.#clock = clock;
  }

  /** For the function with this name. */
  depth(name: string): QueueDepth {
    const depth = { waiting: 0, running: 0, delayed: 0, parked: 0 };
    const prefix = `${name}/`;
    for (const [identity, held] of this.#held) {
      if (identity.startsWith(prefix)) depth[this.#stateOf(held)] += 1;
    }
    return depth;
  }

  added(item: WorkItem): void {
    const identity = workItemIdentity(item);
    const held = this.#held.get(identity);
    this.#held.set(
      identity,
      held?.kind === 'running' ? { ...held, isWoken: true } : { kind: 'waiting' },
    );
  }

  taken({ item, signal }: Lease): void {
    this.#held.set(workItemIdentity(item), { kind: 'running', lease: signal, isWoken: false });
  }

  acknowledged(lease: Lease): void {
    this.#settled(lease, undefined);
  }

  putOff(lease: Lease, afterMs: number): void {
    const dueMs = this.#clock.monotonicMs() + afterMs;
    this.#settled(lease, { kind: 'delayed', dueMs });
  }

  parked(lease: Lease): void {
    this.#settled(lease, { kind: 'parked' });
  }

  lost(signal: AbortSignal): void {
    for (const [identity, held] of this.#held) {
      if (held.kind === 'running' && held.lease === signal) {
        this.#held.set(identity, { kind: 'waiting' });
      }
    }
  }

  cleared(): void {
    this.#held.clear();
  }

  #stateOf(held: Held): ItemState {
    if (held.kind !== 'delayed') return held.kind;
    return held.dueMs <= this.#clock.monotonicMs() ? 'waiting' : 'delayed';
  }

  #settled({ item, signal }: Lease, becomes: Held | undefined): void {
    const identity = workItemIdentity(item);
    const held = this.#held.get(identity);
    if (held?.kind !== 'running' || held.lease !== signal) return;
    if (held.isWoken) this.#held.set(identity, { kind: 'waiting' });
    else if (becomes === undefined) this.#held.delete(identity);
    else this.#held.set(identity, becomes);
  }
}

/** The store with a count kept beside it. */
export function countedQueue(store: MemoryQueue, work: HeldWork): MemoryQueue {
  return {
    ...store,
    add: (items) => {
      for (const item of items) work.added(item);
      return store.add(items);
    },
    take: async (name, signal) => {
      const lease = await store.take(name, signal);
      if (lease === undefined) return undefined;
      work.taken(lease);
      return counted(lease, work);
    },
    loseLease: (lease) => {
      work.lost(lease.signal);
      store.loseLease(lease);
    },
    clear: () => {
      work.cleared();
      store.clear();
    },
  };
}

function counted(lease: Lease, work: HeldWork): Lease {
  return {
    ...lease,
    ack: () => {
      work.acknowledged(lease);
      return lease.ack();
    },
    later: (afterMs, how) => {
      work.putOff(lease, afterMs);
      return lease.later(afterMs, how);
    },
    park: (reason) => {
      work.parked(lease);
      return lease.park(reason);
    },
  };
}
