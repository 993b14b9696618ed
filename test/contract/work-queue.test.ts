import { afterAll, beforeAll, describe } from 'vitest';
import { systemClock } from '#shared/runtime/system-clock.ts';
import { createMemoryQueue } from '#shared/queue/memory-queue.ts';
import { type Redis, startRedis } from '#test/support/redis.ts';
import { describeWithRedis } from '#test/support/require.ts';
import { maxParked, openBullmq } from './bullmq-under-test.ts';
import { type QueueUnderTest, takeNext, workQueueContract } from './work-queue-contract.ts';

describe('work queue in memory', () => {
  workQueueContract(openMemory, { maxParked });
});

describeWithRedis('work queue on BullMQ', () => {
  let redis: Redis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  workQueueContract(async () => openBullmq(redis.url), { maxParked });
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
