/** The queue for one process: the real semantics over an unreliable connection. */
import { MillraceError } from '#shared/domain/errors.ts';
import type { MemoryQueue } from '#shared/queue/memory-queue.ts';
import type { Lease, QueueDepth, WorkQueue } from '#shared/queue/work-queue.ts';
import type { Delivery } from '#functions/dispatcher/deliver.ts';
import type { HeldWork } from '../invariants/held-work.ts';
import type { Progress } from '../invariants/progress.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import type { SimulationContext } from './simulation-context.ts';
import { cluster, type Life } from './timeline.ts';

/**
 * A lease without a sign of its holder is lost after this long, in milliseconds (as for BullMQ here).
 */
const leaseMs = 4_000;
/** Time limit of a call, in milliseconds. */
const unansweredMs = 1_000;

export interface SimulatedQueueOptions {
  readonly context: SimulationContext;
  readonly life: Life;
  readonly store: MemoryQueue;
  /** The store's content, counted from the outside. */
  readonly work: HeldWork;
  readonly blame: (fault: string) => void;
}

export interface SimulatedQueue extends WorkQueue {
  /** Judges reads of its depth, and settlements. */
  judgedBy(progressOf: (name: string) => Progress | undefined): void;
  /** The process has delivered this item to its function. */
  delivered(item: WorkItem, delivery: Delivery): void;
  /** The store does not answer for this long, in milliseconds. */
  disconnect(forMs: number): void;
  /** The process is gone: nothing more is taken, and its items are lost after a while. */
  abandon(): void;
  /** The process stands still for this long, in milliseconds. */
  stall(forMs: number): void;
}

export function simulatedQueue(options: SimulatedQueueOptions): SimulatedQueue {
  const { context, life, store } = options;
  const { timeline, faults, latency, random, disturbance } = context;
  const gone = new AbortController();
  let connection = new AbortController();
  const held = new Set<Lease>();
  /** Items that reached no function, or none that accepted the sender. */
  const unseen = new Set<string>();
  let progressOf: (name: string) => Progress | undefined = () => undefined;
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
      if (disturbance.storesAreAway) return failing(options, 'take');
      if (faults.strikes('takeWedged')) return wedged(signal);
      const dismissed = new AbortController();
      const dismiss = (): void => dismissed.abort();
      signal.addEventListener('abort', dismiss, { once: true });
      gone.signal.addEventListener('abort', dismiss, { once: true });
      const { signal: cut } = connection;
      cut.addEventListener('abort', dismiss, { once: true });
      const lease = await store.take(name, dismissed.signal);
      signal.removeEventListener('abort', dismiss);
      gone.signal.removeEventListener('abort', dismiss);
      cut.removeEventListener('abort', dismiss);
      if (lease === undefined) {
        if (!life.alive) return new Promise(() => undefined);
        return cut.aborted ? failing(options, 'take') : undefined;
      }
      if (!life.alive) {
        lose(lease);
        return new Promise(() => undefined);
      }
      context.traffic.takes(lease.item);
      held.add(lease);
      if (life.stoppedUntilMs - timeline.nowMs > leaseMs) {
        lose(lease);
        context.traffic.comesBack(lease.item);
      }
      return new Promise((resolve) => {
        timeline.after(latency(), life, `take ${lease.item.key.name}`, () => {
          context.trace(life, () => `took ${lease.item.key.name} (${lease.item.cause})`);
          resolve(leaseOf(lease));
        });
      });
    },
    depth: async (name) => {
      const progress = progressOf(name);
      progress?.asks();
      const answer = depthCall(options, name);
      const { depth, held: inStore } = await answer.catch((error: unknown) => {
        progress?.hears(undefined);
        throw error;
      });
      progress?.hears(inStore);
      return depth;
    },
    parked: (name) => store.parked(name),
    dropParked: (item) => store.dropParked(item),
    close: async () => undefined,
    judgedBy: (judges) => {
      progressOf = judges;
    },
    delivered: ({ key }, { kind }) => {
      if (kind === 'unreachable' || kind === 'refused') unseen.add(key.uid);
      else unseen.delete(key.uid);
    },
    disconnect: (forMs) => {
      connection.abort();
      connection = new AbortController();
      if (forMs > leaseMs) for (const lease of [...held]) lose(lease);
    },
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
    // The holder notices the loss at its next check of its leases, not at once.
    lease.signal.addEventListener(
      'abort',
      () => timeline.after(random.between(0, 2_000), life, 'lease lost', () => lost.abort()),
      { once: true },
    );
    if (faults.strikes('leaseLost')) {
      timeline.after(random.between(0, 50), cluster, 'lease lost', () => store.loseLease(lease));
    }
    // Never rejects, as the Redis adapter (consumer-2). If it was not written, the item
    // is taken again when its lock has run out.
    const settle = async (label: string, run: () => Promise<void>): Promise<void> => {
      const settled = (): Promise<void> => {
        held.delete(lease);
        return run();
      };
      await call(label, settled).catch(() => lose(lease));
      progressOf(lease.item.function)?.settles();
    };
    const { item, failures } = lease;
    const blameFailure = (): void => {
      if (!unseen.has(item.key.uid)) return;
      options.blame(`loop-4: ${life.name} counted an unreachable function as a failure`);
    };
    return {
      item,
      failures,
      signal: lost.signal,
      ack: () => settle(`ack ${item.key.name}`, () => lease.ack()),
      later: (afterMs, how) => {
        if (how.failed) blameFailure();
        return settle(`put off ${item.key.name}`, () => lease.later(afterMs, how));
      },
      park: (reason) => {
        blameFailure();
        return settle(`park ${item.key.name}: ${reason}`, () => lease.park(reason));
      },
    };
  }
}

function addItems(options: SimulatedQueueOptions, items: readonly WorkItem[]): Promise<void> {
  const { context, store } = options;
  const { faults, timeline, random } = context;
  const names = items.map(({ key }) => key.name).join(',');
  const arrive = (arrived: readonly WorkItem[]): Promise<void> => {
    context.traffic.adds(arrived);
    return store.add(arrived);
  };
  return queueCall(options, `add ${names}`, async () => {
    // Stored and never served: what a failover to a replica loses.
    const kept = items.filter(() => !faults.strikes('itemDropped'));
    const late = kept.filter(() => faults.strikes('itemDelayed'));
    const again = kept.filter(() => faults.strikes('itemDuplicated'));
    for (const item of [...late, ...again]) {
      timeline.after(
        random.between(10, 8_000),
        cluster,
        `late ${item.key.name}`,
        () => void arrive([item]),
      );
    }
    await arrive(kept.filter((item) => !late.includes(item)));
  });
}

function queueCall(
  { context, life }: SimulatedQueueOptions,
  label: string,
  run: () => Promise<void>,
): Promise<void> {
  const { timeline, faults, latency, random, disturbance } = context;
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
      if (disturbance.storesAreAway || faults.strikes('queueUnavailable')) {
        reply(true);
        return;
      }
      void run().then(() => reply(faults.strikes('queueReplyLost')));
    });
  });
}

/** An unanswered call fails within a time limit. */
function failing({ context, life }: SimulatedQueueOptions, label: string): Promise<never> {
  return new Promise((_, reject) => {
    context.timeline.after(unansweredMs, life, label, () => reject(unavailable()));
  });
}

/** Its connection is silent: nothing is taken, and only a stop ends the wait. */
function wedged(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

interface Sample {
  readonly depth: QueueDepth;
  /** The store's content at the same moment, counted from the outside. */
  readonly held: QueueDepth;
}

/** Draws its delays separately, so that the other calls are unchanged. */
function depthCall(options: SimulatedQueueOptions, name: string): Promise<Sample> {
  const { context, life, store, work } = options;
  const { timeline, faults, disturbance } = context;
  const wayMs = (): number => disturbance.between(0.2, 20);
  return new Promise((resolve, reject) => {
    timeline.after(wayMs(), cluster, 'depth', () => {
      if (!life.alive) return;
      if (disturbance.storesAreAway || faults.strikes('depthUnavailable')) {
        failing(options, 'depth').catch(reject);
        return;
      }
      const held = work.depth(name);
      void store.depth(name).then((depth) => {
        timeline.after(wayMs(), life, 'depth', () => resolve({ depth, held }));
      });
    });
  });
}

export function unavailable(): MillraceError {
  return new MillraceError('MR_QUEUE_UNAVAILABLE', { address: 'redis', detail: 'injected' });
}
