import { afterAll, beforeAll, describe } from 'vitest';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { createMemoryQueue } from '#shared/queue/memory-queue.ts';
import { type Redis, startRedis } from '#test/support/redis.ts';
import { describeWithRedis } from '#test/support/require.ts';
import { maxParked, openBullmq, openBullmqParties } from './bullmq-under-test.ts';
import { type PartiesUnderTest, workQueueClockContract } from './work-queue-clocks.ts';
import { workQueueContract } from './work-queue-contract.ts';
import { showing } from './wrong-clock.ts';

describe('work queue in memory', () => {
  workQueueClockContract(openMemoryParties);
});

describeWithRedis('work queue on BullMQ', () => {
  let redis: Redis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  workQueueContract(async () => openBullmq(redis.url), { maxParked });
  workQueueClockContract(() => openBullmqParties(redis.url));
});

/** All parties are in one process and share its clock with the queue. */
function openMemoryParties(): PartiesUnderTest {
  let nowMs = Date.now;
  const clock = { ...systemClock, now: () => nowMs() };
  const queue = createMemoryQueue({ clock, maxParked });
  return {
    join: async () => ({
      queue,
      setClock: async (wrong) => void (nowMs = showing(wrong, Date.now)),
    }),
    close: () => queue.close(),
  };
}
