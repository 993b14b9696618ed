import { describe } from 'vitest';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import {
  type QueueUnderTest,
  takeNext,
  workQueueContract,
} from '#test/contract/work-queue-contract.ts';
import { createMemoryQueue } from './memory-queue.ts';

const maxParked = 3;

describe('the work queue in memory keeps what every adapter promises', () => {
  workQueueContract(openMemory, { maxParked });
});

async function openMemory(): Promise<QueueUnderTest> {
  const queue = createMemoryQueue({ clock: systemClock, maxParked });
  return {
    queue,
    dieHolding: async (functionName) => {
      await takeNext(queue, 1_000, functionName);
      queue.loseLeases();
    },
    empty: async () => queue.clear(),
    close: () => queue.close(),
  };
}
