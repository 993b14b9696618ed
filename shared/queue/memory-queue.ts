/**
 * The work queue in memory, for one process without Redis and for the simulation. The simulation
 * passes its virtual clock and seeded random source, and crashes or empties the queue at will.
 */
import type { Random, WaitingClock } from '#shared/domain/clock.ts';
import { type WorkItem, workItemIdentity } from '#shared/domain/work-item.ts';
import { MemoryRoom } from './memory-room.ts';
import type { Lease, ParkedItem, QueueDepth, WorkQueue } from './work-queue.ts';

export interface MemoryQueueOptions {
  readonly clock: WaitingClock;
  /** Chooses which waiting item runs next. Absent: first in, first out. */
  readonly random?: Random;
  /** Parked items kept per function; the oldest are dropped. Default 10,000. */
  readonly maxParked?: number;
}

export interface MemoryQueue extends WorkQueue {
  /** Simulates the death of all workers: every lease is lost and its item waits again (queue-5). */
  loseLeases(): void;
  /** Simulates the death of this lease's worker. Has no effect on a settled lease. */
  loseLease(lease: Pick<Lease, 'signal'>): void;
  /** Simulates FLUSHALL: everything is gone, and every lease is lost (queue-7). */
  clear(): void;
}

export function createMemoryQueue(options: MemoryQueueOptions): MemoryQueue {
  const rooms = new Map<string, MemoryRoom>();
  let closed = false;
  const roomOf = (functionName: string): MemoryRoom => {
    const known = rooms.get(functionName);
    if (known !== undefined) return known;
    const room = new MemoryRoom({ maxParked: 10_000, ...options });
    rooms.set(functionName, room);
    return room;
  };
  const each = (act: (room: MemoryRoom) => void) => [...rooms.values()].forEach(act);
  return {
    add: async (items: readonly WorkItem[]): Promise<void> => {
      for (const item of items) roomOf(item.function).add(workItemIdentity(item), item);
    },
    take: async (functionName: string, signal: AbortSignal): Promise<Lease | undefined> =>
      closed ? undefined : roomOf(functionName).take(signal),
    depth: async (functionName: string): Promise<QueueDepth> => roomOf(functionName).depth(),
    parked: async (functionName: string): Promise<readonly ParkedItem[]> =>
      roomOf(functionName).parked(),
    dropParked: async (item): Promise<boolean> =>
      roomOf(item.function).dropParked(workItemIdentity(item)),
    close: async (): Promise<void> => {
      closed = true;
      each((room) => room.close());
    },
    loseLeases: () => each((room) => room.loseLeases()),
    loseLease: ({ signal }) => each((room) => room.loseLeases((held) => held === signal)),
    clear: () => each((room) => room.clear()),
  };
}
