import { beforeAll, expect, it } from 'vitest';
import { workItem } from '#functions/dispatcher/testing/work-item.ts';
import { openBullmq } from '#test/contract/bullmq-under-test.ts';
import type { QueueUnderTest } from '#test/contract/work-queue-contract.ts';
import { describeWithRedis } from '#test/support/require.ts';

const name = 'flow-advance';

describeWithRedis('attacks by quantity', (url) => {
  let opened: QueueUnderTest;
  beforeAll(() => {
    opened = openBullmq(url);
    return () => opened.close();
  });

  it('#39 keeps at most two items for each object, however many events ask', async () => {
    const { queue } = opened;
    const objects = Array.from({ length: 10 }, (_, index) => `flooded-${index}`);
    const flood = Array.from({ length: 500 }, () => objects.map((object) => workItem(object)));
    for (const items of flood) await queue.add(items);
    expect((await queue.depth(name)).waiting).toBe(objects.length);
    const never = new AbortController().signal;
    const leases = await Promise.all(objects.map(() => queue.take(name, never)));
    for (const items of flood.slice(0, 20)) await queue.add(items);
    const { waiting, running, delayed } = await queue.depth(name);
    expect(waiting + running + delayed).toBeLessThanOrEqual(2 * objects.length);
    for (const lease of leases) await lease?.ack();
    for (const object of objects) {
      const lease = await queue.take(name, never);
      expect(objects, object).toContain(lease?.item.key.name);
      await lease?.ack();
    }
    expect(await queue.depth(name)).toEqual({ waiting: 0, running: 0, delayed: 0, parked: 0 });
  });
});
