/** The queue as one process sees it: the real semantics, over a connection that fails. */
import { MillraceError } from '#shared/domain/errors.ts';
import type { MemoryQueue } from '#shared/queue/memory-queue.ts';
import type { Lease, WorkQueue } from '#shared/queue/work-queue.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import type { SimulationContext } from './simulation-context.ts';
import { cluster, type Life } from './timeline.ts';

/** After so long without a sign of its holder a lease is lost, in milliseconds (as for BullMQ here). */
const leaseMs = 4_000;

export interface SimulatedQueueOptions {
  readonly context: SimulationContext;
  readonly life: Life;
  readonly store: MemoryQueue;
}

export interface SimulatedQueue extends WorkQueue {
  /** When the process settled an item last, or began; virtual milliseconds. */
  readonly settledAtMs: () => number;
  /** The process is gone: nobody takes any more, and what it held is lost after a while. */
  abandon(): void;
  /** The process answers nothing for so long, in milliseconds. */
  stall(forMs: number): void;
}

export function simulatedQueue(options: SimulatedQueueOptions): SimulatedQueue {
  const { context, life, store } = options;
  const { timeline, faults, latency, random } = context;
  const gone = new AbortController();
  const held = new Set<Lease>();
  let settledAtMs = timeline.nowMs;
  const lose = (lease: Lease): void => {
    held.delete(lease);
    timeline.after(leaseMs, cluster, 'lease lost', () => store.loseLease(lease));
  };
  const call = (label: string, run: () => Promise<void>): Promise<void> =>
    queueCall(options, label, run);
  return {
    add: (items) => addItems(options, items),
    take: async (name, signal) => {
      if (signal.aborted) return undefined;
      const dismissed = new AbortController();
      const dismiss = (): void => dismissed.abort();
      signal.addEventListener('abort', dismiss, { once: true });
      gone.signal.addEventListener('abort', dismiss, { once: true });
      const lease = await store.take(name, dismissed.signal);
      signal.removeEventListener('abort', dismiss);
      gone.signal.removeEventListener('abort', dismiss);
      if (lease === undefined) {
        if (!life.alive) return new Promise(() => undefined);
        return undefined;
      }
      if (!life.alive) {
        lose(lease);
        return new Promise(() => undefined);
      }
      held.add(lease);
      if (life.stoppedUntilMs - timeline.nowMs > leaseMs) lose(lease);
      return new Promise((resolve) => {
        timeline.after(latency(), life, `take ${lease.item.key.name}`, () => {
          context.trace(life, () => `took ${lease.item.key.name} (${lease.item.cause})`);
          resolve(leaseOf(lease));
        });
      });
    },
    depth: (name) => store.depth(name),
    parked: (name) => store.parked(name),
    close: async () => undefined,
    settledAtMs: () => settledAtMs,
    abandon: () => {
      gone.abort();
      for (const lease of [...held]) lose(lease);
    },
    stall: (forMs) => {
      if (forMs > leaseMs) for (const lease of [...held]) lose(lease);
    },
  };

  function leaseOf(lease: Lease): Lease {
    const lost = new AbortController();
    // The holder learns of the loss when it looks after its leases, not at once.
    lease.signal.addEventListener(
      'abort',
      () => timeline.after(random.between(0, 2_000), life, 'lease lost', () => lost.abort()),
      { once: true },
    );
    if (faults.strikes('leaseLost')) {
      timeline.after(random.between(0, 50), cluster, 'lease lost', () => store.loseLease(lease));
    }
    // Never rejects, as the Redis adapter (C2): what was not written is taken again when nobody has
    // prolonged the lock any more.
    const settle = async (label: string, run: () => Promise<void>): Promise<void> => {
      const settled = (): Promise<void> => {
        held.delete(lease);
        return run();
      };
      await call(label, settled).catch(() => lose(lease));
      settledAtMs = timeline.nowMs;
    };
    const { item, failures } = lease;
    return {
      item,
      failures,
      signal: lost.signal,
      ack: () => settle(`ack ${item.key.name}`, () => lease.ack()),
      later: (afterMs, how) => settle(`put off ${item.key.name}`, () => lease.later(afterMs, how)),
      park: (reason) => settle(`park ${item.key.name}: ${reason}`, () => lease.park(reason)),
    };
  }
}

function addItems(options: SimulatedQueueOptions, items: readonly WorkItem[]): Promise<void> {
  const { context, store } = options;
  const { faults, timeline, random } = context;
  const names = items.map(({ key }) => key.name).join(',');
  return queueCall(options, `add ${names}`, async () => {
    // Kept by the store and never served: what a failover to a replica loses.
    const kept = items.filter(() => !faults.strikes('itemDropped'));
    const late = kept.filter(() => faults.strikes('itemDelayed'));
    const again = kept.filter(() => faults.strikes('itemDuplicated'));
    for (const item of [...late, ...again]) {
      timeline.after(
        random.between(10, 8_000),
        cluster,
        `late ${item.key.name}`,
        () => void store.add([item]),
      );
    }
    await store.add(kept.filter((item) => !late.includes(item)));
  });
}

function queueCall(
  { context, life }: SimulatedQueueOptions,
  label: string,
  run: () => Promise<void>,
): Promise<void> {
  const { timeline, faults, latency, random } = context;
  return new Promise((resolve, reject) => {
    const reply = (fails: boolean): void => {
      timeline.after(latency(), life, label, () => {
        context.trace(life, () => `${label} -> ${fails ? 'no answer' : 'ok'}`);
        if (fails) reject(unavailable());
        else resolve();
      });
    };
    timeline.after(latency(), cluster, label, () => {
      if (!life.alive && random.chance(0.5)) return;
      const crashes = life.alive && faults.strikes('crashAtStore');
      if (crashes) context.crash(life);
      if (crashes && random.chance(0.5)) return;
      if (faults.strikes('queueUnavailable')) {
        reply(true);
        return;
      }
      void run().then(() => reply(faults.strikes('queueReplyLost')));
    });
  });
}

export function unavailable(): MillraceError {
  return new MillraceError('MR_QUEUE_UNAVAILABLE', { address: 'redis', detail: 'injected' });
}
