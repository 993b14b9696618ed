/**
 * queue-8, which every adapter keeps: two producers and two takers, each with a wall clock of
 * its own that is off, is set while they work, or runs too fast or too slow.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WorkQueue } from '#shared/queue/work-queue.ts';
import { itemFor, takeNext } from './work-queue-contract.ts';
import type { QueueParty } from './queue-party.ts';
import { wrongClocks } from './wrong-clock.ts';

export interface PartiesUnderTest {
  /** One more process that uses the same queue. */
  join(): Promise<QueueParty>;
  close(): Promise<void>;
}

const fn = 'flow-advance';
const farMs = 600_000;
const waitMs = 600;
/** Less than the minute by which a clock is off, and enough for a busy machine. */
const slackMs = 5_000;
/** No item may come for this time. */
const quietMs = 1_000;
const empty = { waiting: 0, running: 0, delayed: 0, parked: 0 };

export function workQueueClockContract(open: () => PartiesUnderTest): void {
  let subject: PartiesUnderTest;
  let exact: WorkQueue;
  let wrong: QueueParty;

  beforeEach(async () => {
    subject = open();
    exact = (await subject.join()).queue;
    wrong = await subject.join();
  });
  afterEach(() => subject.close());

  const takenAfter = async (queue: WorkQueue, sinceMs: number): Promise<number> => {
    const lease = await takeNext(queue);
    const afterMs = performance.now() - sinceMs;
    await lease.ack();
    return afterMs;
  };

  describe.each(wrongClocks)('a process with a clock that is %s (queue-8)', (_, clock) => {
    it('a wake-up runs a postponed item at once, again and again', async () => {
      await wrong.setClock(clock);
      await exact.add([itemFor('u1')]);
      for (let round = 0; round < 3; round += 1) {
        await (await takeNext(exact, slackMs)).later(farMs, { failed: false });
        await wrong.queue.add([itemFor('u1', `wake-up ${round}`)]);
      }
      const lease = await takeNext(exact, slackMs);
      expect(lease.item.cause).toBe('wake-up 2');
    });

    it('a wake-up runs an item at once that the clock put off or parked', async () => {
      await wrong.setClock(clock);
      await exact.add([itemFor('u1')]);
      await (await takeNext(wrong.queue, slackMs)).later(farMs, { failed: false });
      await exact.add([itemFor('u1')]);
      await (await takeNext(wrong.queue, slackMs)).park('no');
      await exact.add([itemFor('u1')]);
      expect((await takeNext(exact, slackMs)).item.key.uid).toBe('u1');
    });

    it.each([
      ['another', () => exact],
      ['the same', () => wrong.queue],
    ])('an item that it put off is taken by %s when it was asked for', async (_who, taker) => {
      await wrong.setClock(clock);
      await exact.add([itemFor('u1')]);
      const lease = await takeNext(wrong.queue, slackMs);
      const sinceMs = performance.now();
      await lease.later(waitMs, { failed: false });
      const afterMs = await takenAfter(taker(), sinceMs);
      expect(afterMs).toBeGreaterThanOrEqual(waitMs - 2);
      expect(afterMs).toBeLessThan(waitMs + slackMs);
    });

    it('an item that another put off is not taken before it was asked for', async () => {
      await wrong.setClock(clock);
      await exact.add([itemFor('u1')]);
      const lease = await takeNext(exact, slackMs);
      const sinceMs = performance.now();
      await lease.later(waitMs, { failed: false });
      const afterMs = await takenAfter(wrong.queue, sinceMs);
      expect(afterMs).toBeGreaterThanOrEqual(waitMs - 2);
      expect(afterMs).toBeLessThan(waitMs + slackMs);
    });

    it('a taker that waits is not kept by its clock being set meanwhile', async () => {
      await exact.add([itemFor('u1')]);
      const lease = await takeNext(wrong.queue, slackMs);
      const sinceMs = performance.now();
      await lease.later(waitMs, { failed: false });
      const taken = takenAfter(wrong.queue, sinceMs);
      await sleep(waitMs / 3);
      await wrong.setClock(clock);
      const afterMs = await taken;
      expect(afterMs).toBeGreaterThanOrEqual(waitMs - 2);
      expect(afterMs).toBeLessThan(waitMs + slackMs);
    });

    it('every process counts the same', async () => {
      await wrong.setClock(clock);
      await exact.add(['delayed', 'due', 'parked'].map((uid) => itemFor(uid)));
      await (await takeNext(wrong.queue, slackMs)).later(farMs, { failed: false });
      await (await takeNext(exact, slackMs)).later(1, { failed: false });
      await (await takeNext(exact, slackMs)).park('no');
      await sleep(20);
      const counted = { ...empty, waiting: 1, delayed: 1, parked: 1 };
      expect(await exact.depth(fn)).toMatchObject(counted);
      expect(await wrong.queue.depth(fn)).toMatchObject(counted);
      expect(await wrong.queue.parked(fn)).toEqual(await exact.parked(fn));
      expect(await wrong.queue.parked(fn)).toMatchObject([{ item: itemFor('parked') }]);
    });

    it('a holder whose clock is set keeps its item', async () => {
      await exact.add([itemFor('u1')]);
      const lease = await takeNext(wrong.queue, slackMs);
      await wrong.setClock(clock);
      expect(await exact.take(fn, AbortSignal.timeout(quietMs))).toBeUndefined();
      expect(lease.signal.aborted).toBe(false);
      await lease.ack();
      expect(await exact.depth(fn)).toEqual(empty);
    });
  });
}
