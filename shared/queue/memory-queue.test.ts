import { describe, expect, it } from 'vitest';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import { asEventId, asUid } from '#shared/domain/objects.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import { createMemoryQueue } from './memory-queue.ts';
import type { Lease, WorkQueue } from './work-queue.ts';

const fn = 'flow-advance';
const dayMs = 24 * 3_600_000;

function itemFor(uid: string): WorkItem {
  const key = { apiVersion: 'v1', kind: 'Thing', namespace: 'n', name: uid, uid: asUid(uid) };
  return { function: fn, key, cause: asEventId('e1') };
}

async function takeNow(queue: WorkQueue): Promise<Lease | undefined> {
  const abort = new AbortController();
  const taken = queue.take(fn, abort.signal);
  abort.abort();
  return taken;
}

describe('the work queue in memory', () => {
  it('waits on the given clock only, also beyond the longest timer of Node', async () => {
    const clock = virtualClock();
    const queue = createMemoryQueue({ clock });
    await queue.add([itemFor('u1')]);
    await (await takeNow(queue))!.later(60 * dayMs, { failed: false });
    for (let day = 1; day < 60; day += 1) await clock.advance(dayMs);
    expect(await takeNow(queue)).toBeUndefined();
    await clock.advance(dayMs);
    expect((await takeNow(queue))?.item).toEqual(itemFor('u1'));
  });

  it('runs an item once when its time comes after a fresh event cut it short', async () => {
    const clock = virtualClock();
    const queue = createMemoryQueue({ clock });
    await queue.add([itemFor('u1')]);
    await (await takeNow(queue))!.later(1_000, { failed: false });
    await queue.add([itemFor('u1')]);
    await (await takeNow(queue))!.ack();
    await clock.advance(2_000);
    expect(await takeNow(queue)).toBeUndefined();
  });

  it('has an item that is put off by nothing waiting again before anything else happens', async () => {
    const queue = createMemoryQueue({ clock: virtualClock() });
    await queue.add([itemFor('u1')]);
    const lease = (await takeNow(queue))!;
    const settled = lease.later(0, { failed: false });
    expect(await queue.depth(fn)).toMatchObject({ waiting: 1, delayed: 0 });
    await settled;
  });

  it('draws the next item with the given random source, every waiting one once', async () => {
    const draws = [0.99, 0, 0.5];
    const queue = createMemoryQueue({ clock: virtualClock(), random: () => draws.shift() ?? 0 });
    await queue.add(['a', 'b', 'c'].map(itemFor));
    const order: (string | undefined)[] = [];
    for (let n = 0; n < 3; n += 1) order.push((await takeNow(queue))?.item.key.uid);
    expect(order).toEqual(['c', 'a', 'b']);
  });

  it('hands an item whose lease was lost to the next, and takes nothing more from the loser', async () => {
    const queue = createMemoryQueue({ clock: virtualClock() });
    await queue.add([itemFor('u1')]);
    const lost = (await takeNow(queue))!;
    queue.loseLeases();
    expect(lost.signal.reason).toEqual(new Error('lease lost'));
    const again = (await takeNow(queue))!;
    await lost.ack();
    expect(await queue.depth(fn)).toMatchObject({ running: 1 });
    await again.ack();
    expect(await queue.depth(fn)).toMatchObject({ running: 0, waiting: 0 });
  });

  it('hands out what was lost in the order in which it was taken', async () => {
    const queue = createMemoryQueue({ clock: virtualClock() });
    await queue.add(['u1', 'u2'].map(itemFor));
    await (await takeNow(queue))!.later(0, { failed: false });
    const order = async () => [await takeNow(queue), await takeNow(queue)];
    const taken = (await order()).map((lease) => lease?.item.key.uid);
    queue.loseLeases();
    expect(taken).toEqual(['u2', 'u1']);
    expect((await order()).map((lease) => lease?.item.key.uid)).toEqual(taken);
  });

  it('notifies the worker of an item that its lease is lost when the queue is emptied', async () => {
    const queue = createMemoryQueue({ clock: virtualClock() });
    await queue.add([itemFor('u1')]);
    const lost = (await takeNow(queue))!;
    queue.clear();
    expect(lost.signal.reason).toEqual(new Error('lease lost'));
  });

  it('loses the one lease that is named and no other', async () => {
    const queue = createMemoryQueue({ clock: virtualClock() });
    await queue.add(['u1', 'u2'].map(itemFor));
    const first = (await takeNow(queue))!;
    const second = (await takeNow(queue))!;
    queue.loseLease(first);
    expect([first.signal.aborted, second.signal.aborted]).toEqual([true, false]);
    expect((await takeNow(queue))?.item.key.uid).toBe('u1');
    await second.ack();
    queue.loseLease(second);
    expect(await queue.depth(fn)).toMatchObject({ running: 1, waiting: 0 });
  });
});
