/** A party of a work queue on BullMQ with a wall clock of its own: a thread, and its queue in this thread. */
import { Worker } from 'node:worker_threads';
import type { WorkItem } from '#shared/domain/work-item.ts';
import type { BullmqQueueOptions } from '#shared/queue/bullmq-queue.ts';
import type { Lease, ParkedItem, QueueDepth, WorkQueue } from '#shared/queue/work-queue.ts';
import type { WrongClock } from './wrong-clock.ts';

type Call =
  | { readonly kind: 'open'; readonly options: Omit<BullmqQueueOptions, 'log'> }
  | { readonly kind: 'setClock'; readonly clock: WrongClock }
  | { readonly kind: 'add'; readonly items: readonly WorkItem[] }
  | { readonly kind: 'take' | 'depth' | 'parked'; readonly functionName: string }
  | { readonly kind: 'dropParked'; readonly item: Pick<WorkItem, 'function' | 'key'> }
  | { readonly kind: 'stopTaking'; readonly take: number }
  | {
      readonly kind: 'settle';
      readonly lease: number;
      readonly verb: 'ack' | 'later' | 'park';
      readonly afterMs?: number;
      readonly failed?: boolean;
      readonly reason?: string;
    }
  | { readonly kind: 'close' };

type Settlement = Omit<Extract<Call, { kind: 'settle' }>, 'kind' | 'lease'>;

export type PartyCall = Call & { readonly id: number };

export type PartyMessage =
  | { readonly kind: 'reply'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly error: unknown }
  | { readonly kind: 'lost'; readonly lease: number };

export interface QueueParty {
  readonly queue: WorkQueue;
  /** Sets its wall clock from now on. */
  setClock(clock: WrongClock): Promise<void>;
}

/** Idle threads: starting one takes longer than a test. */
const idle: PartyThread[] = [];

export async function joinBullmq(options: Omit<BullmqQueueOptions, 'log'>): Promise<QueueParty> {
  const thread = idle.pop() ?? new PartyThread();
  await thread.call({ kind: 'open', options });
  return {
    queue: queueOf(thread),
    setClock: async (clock) => {
      await thread.call({ kind: 'setClock', clock });
    },
  };
}

class PartyThread {
  readonly #worker = new Worker(new URL('queue-party-thread.ts', import.meta.url));
  readonly #calls = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #leases = new Map<number, AbortController>();
  #calledBefore = 0;

  constructor() {
    this.#worker.unref();
    this.#worker.on('message', (message: PartyMessage) => this.#hear(message));
  }

  call(call: Call): Promise<unknown> {
    return this.begin(call).ended;
  }

  begin(call: Call): { readonly id: number; readonly ended: Promise<unknown> } {
    const id = (this.#calledBefore += 1);
    const settled = Promise.withResolvers<unknown>();
    this.#calls.set(id, settled);
    this.#worker.postMessage({ ...call, id });
    return { id, ended: settled.promise };
  }

  leaseSignal(id: number): AbortSignal {
    const lost = new AbortController();
    this.#leases.set(id, lost);
    return lost.signal;
  }

  #hear(message: PartyMessage): void {
    if (message.kind === 'lost') {
      this.#leases.get(message.lease)?.abort(new Error('lease lost'));
      return;
    }
    const call = this.#calls.get(message.id);
    this.#calls.delete(message.id);
    if (message.kind === 'reply') call?.resolve(message.result);
    else call?.reject(message.error);
  }
}

function queueOf(thread: PartyThread): WorkQueue {
  const take = async (functionName: string, signal: AbortSignal): Promise<Lease | undefined> => {
    const { id, ended } = thread.begin({ kind: 'take', functionName });
    const leaseSignal = thread.leaseSignal(id);
    const stop = () => void thread.call({ kind: 'stopTaking', take: id });
    signal.addEventListener('abort', stop, { once: true });
    const taken = (await ended) as Pick<Lease, 'item' | 'failures'> | undefined;
    signal.removeEventListener('abort', stop);
    return taken === undefined ? undefined : leaseOf(thread, id, { ...taken, signal: leaseSignal });
  };
  return {
    add: async (items) => {
      await thread.call({ kind: 'add', items });
    },
    take,
    depth: async (functionName) =>
      (await thread.call({ kind: 'depth', functionName })) as QueueDepth,
    parked: async (functionName) =>
      (await thread.call({ kind: 'parked', functionName })) as readonly ParkedItem[],
    dropParked: async ({ function: name, key }) =>
      (await thread.call({ kind: 'dropParked', item: { function: name, key } })) as boolean,
    close: async () => {
      await thread.call({ kind: 'close' });
      idle.push(thread);
    },
  };
}

function leaseOf(
  thread: PartyThread,
  lease: number,
  taken: Pick<Lease, 'item' | 'failures' | 'signal'>,
): Lease {
  const settle = async (call: Settlement): Promise<void> => {
    await thread.call({ kind: 'settle', lease, ...call });
  };
  return {
    ...taken,
    ack: () => settle({ verb: 'ack' }),
    later: (afterMs, { failed }) => settle({ verb: 'later', afterMs, failed }),
    park: (reason) => settle({ verb: 'park', reason }),
  };
}
