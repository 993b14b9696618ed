/** Tests that every adapter of the work queue must pass, with the codes of shared/queue/work-queue.ts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asEventId, asUid } from '#shared/domain/objects.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import type { Lease, WorkQueue } from '#shared/queue/work-queue.ts';

export interface QueueUnderTest {
  readonly queue: WorkQueue;
  /** A worker takes the next item of the function and dies while it holds it. */
  dieHolding(functionName: string): Promise<void>;
  /** FLUSHALL. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

export interface ContractOptions {
  /** Limit for parked items of the queue under test. */
  readonly maxParked: number;
}

const fn = 'flow-advance';
/** Too long for a test, unless something ends the wait early. */
const farMs = 600_000;
/** Long enough to look at a postponed item before it is due. */
const waitMs = 1_500;
/** Less than the 10 s for which a fetch blocks without a wake-up. */
const promptMs = 5_000;

export function itemFor(uid: string, cause = 'e1', functionName = fn): WorkItem {
  return {
    function: functionName,
    key: {
      apiVersion: 'api.practice.com/v1alpha1',
      kind: 'JobFlow',
      namespace: 'team-a',
      name: `flow-${uid}`,
      uid: asUid(uid),
    },
    cause: asEventId(cause),
  };
}

/** The next item. Fails the test when none comes within `withinMs`. */
export async function takeNext(
  queue: WorkQueue,
  withinMs = 10_000,
  functionName = fn,
): Promise<Lease> {
  const lease = await queue.take(functionName, AbortSignal.timeout(withinMs));
  if (lease === undefined) throw new Error(`nothing to take within ${withinMs} ms`);
  return lease;
}

async function expectNothing(queue: WorkQueue, forMs = 150): Promise<void> {
  expect(await queue.take(fn, AbortSignal.timeout(forMs))).toBeUndefined();
}

export function workQueueContract(
  open: () => Promise<QueueUnderTest>,
  { maxParked }: ContractOptions,
): void {
  let subject: QueueUnderTest;
  let queue: WorkQueue;

  beforeEach(async () => {
    subject = await open();
    queue = subject.queue;
  });
  afterEach(() => subject.close());

  describe('one runs and one waits (queue-1)', () => {
    it('runs no key twice at once and loses no wake-up with 4,000 adds on 20 keys', async () => {
      const uids = Array.from({ length: 20 }, (_, index) => `u${index}`);
      const asked = new Map(uids.map((uid) => [uid, 0]));
      const seen = new Map(uids.map((uid) => [uid, 0]));
      const running = new Set<string>();
      const overlaps: string[] = [];
      let runs = 0;
      const stop = new AbortController();
      const work = async () => {
        for (;;) {
          const lease = await queue.take(fn, stop.signal);
          if (lease === undefined) return;
          const { uid } = lease.item.key;
          if (running.has(uid)) overlaps.push(uid);
          running.add(uid);
          runs += 1;
          // A handler reads the state at its start. Later requests need another run.
          const read = asked.get(uid)!;
          await sleep(runs % 3);
          seen.set(uid, Math.max(seen.get(uid)!, read));
          running.delete(uid);
          await lease.ack();
        }
      };
      const takers = Array.from({ length: 8 }, work);
      for (let round = 0; round < 200; round += 1) {
        for (const uid of uids) asked.set(uid, asked.get(uid)! + 1);
        await queue.add(uids.map((uid) => itemFor(uid, `e${round}`)));
      }
      await expect.poll(() => [...seen]).toEqual([...asked]);
      await expect.poll(() => queue.depth(fn)).toMatchObject({ waiting: 0, running: 0 });
      stop.abort();
      await Promise.all(takers);
      expect(overlaps).toEqual([]);
      expect(runs).toBeLessThan(4_000);
    });

    it('gives one item to one of several takers', async () => {
      const abort = new AbortController();
      const takers = [1, 2, 3].map(() => queue.take(fn, abort.signal));
      await queue.add([itemFor('u1')]);
      await Promise.race(takers);
      await sleep(100);
      abort.abort();
      const taken = (await Promise.all(takers)).filter((lease) => lease !== undefined);
      expect(taken).toHaveLength(1);
      await taken[0]!.ack();
    });

    it('keeps the items of different functions apart', async () => {
      await queue.add([itemFor('u1', 'e1', 'daemon-fanout')]);
      await expectNothing(queue);
      const lease = await takeNext(queue, 5_000, 'daemon-fanout');
      expect(lease.item.function).toBe('daemon-fanout');
    });

    it('serves first in, first out', async () => {
      await queue.add(['a', 'b', 'c'].map((uid) => itemFor(uid)));
      const order: string[] = [];
      for (let taken = 0; taken < 3; taken += 1) {
        const lease = await takeNext(queue);
        order.push(lease.item.key.uid);
        await lease.ack();
      }
      expect(order).toEqual(['a', 'b', 'c']);
    });
  });

  describe('a wake-up while running (queue-2)', () => {
    it('runs the item once more, not before the run has ended', async () => {
      await queue.add([itemFor('u1', 'first')]);
      const lease = await takeNext(queue);
      await queue.add([itemFor('u1', 'second')]);
      await queue.add([itemFor('u1', 'third')]);
      await expectNothing(queue);
      await lease.ack();
      const again = await takeNext(queue);
      expect(again.item.cause).toBe('third');
      await again.ack();
      await expectNothing(queue);
    });

    it('runs a postponed item at once, with its failures kept', async () => {
      await queue.add([itemFor('u1', 'first')]);
      const lease = await takeNext(queue);
      await queue.add([itemFor('u1', 'second')]);
      await lease.later(farMs, { failed: true });
      const again = await takeNext(queue);
      expect(again.item.cause).toBe('second');
      expect(again.failures).toBe(1);
      await again.ack();
      await expectNothing(queue);
    });

    it('runs a parked item at once instead of parking it', async () => {
      await queue.add([itemFor('u1', 'first')]);
      const lease = await takeNext(queue);
      await queue.add([itemFor('u1', 'second')]);
      await lease.park('no such thing');
      const again = await takeNext(queue);
      expect(again.item.cause).toBe('second');
      expect(await queue.parked(fn)).toEqual([]);
    });
  });

  describe('a burst while waiting (queue-3)', () => {
    it('is one run, which names the event that asked last', async () => {
      for (let n = 1; n <= 50; n += 1) await queue.add([itemFor('u1', `e${n}`)]);
      const lease = await takeNext(queue);
      expect(lease.item.cause).toBe('e50');
      await lease.ack();
      await expectNothing(queue);
    });

    it('is one run when it comes in one batch', async () => {
      await queue.add(Array.from({ length: 50 }, (_, n) => itemFor('u1', `e${n}`)));
      expect(await queue.depth(fn)).toMatchObject({ waiting: 1 });
      await (await takeNext(queue)).ack();
      await expectNothing(queue);
    });
  });

  describe('the longest wait', () => {
    const oldest = async () => (await queue.depth(fn)).oldestWaitMs;

    it('is absent where nothing waits', async () => {
      expect(await oldest()).toBeUndefined();
      await queue.add([itemFor('u1')]);
      const lease = await takeNext(queue);
      expect(await oldest()).toBeUndefined();
      await lease.ack();
    });

    it('grows while nothing is taken, whatever else is added', async () => {
      await queue.add([itemFor('u1')]);
      expect(await oldest()).toBeLessThan(promptMs);
      await sleep(waitMs);
      await queue.add([itemFor('u1', 'e2'), itemFor('u2')]);
      expect(await oldest()).toBeGreaterThanOrEqual(waitMs - 2);
    });

    it('is that of the next item once the oldest is taken', async () => {
      await queue.add([itemFor('u1')]);
      await oldest();
      await sleep(waitMs);
      await queue.add([itemFor('u2')]);
      await oldest();
      const lease = await takeNext(queue);
      const isTwo = lease.item.key.uid === 'u2';
      const left = await oldest();
      if (isTwo) expect(left).toBeGreaterThanOrEqual(waitMs - 2);
      else expect(left).toBeLessThan(waitMs);
    });
  });

  describe('postponed items (queue-4)', () => {
    it('run at their time and not before', async () => {
      await queue.add([itemFor('u1')]);
      const lease = await takeNext(queue);
      const atMs = Date.now() + waitMs;
      await lease.later(waitMs, { failed: false });
      expect(await queue.depth(fn)).toMatchObject({ waiting: 0, delayed: 1 });
      const again = await takeNext(queue);
      const lateMs = Date.now() - atMs;
      // A timer may fire a millisecond early by the wall clock.
      expect(lateMs).toBeGreaterThanOrEqual(-2);
      expect(lateMs).toBeLessThan(promptMs);
      expect(again.failures).toBe(0);
    });

    it('run at once when their time has passed', async () => {
      await queue.add([itemFor('u1')]);
      await (await takeNext(queue)).later(0, { failed: true });
      expect((await takeNext(queue)).failures).toBe(1);
    });

    it('are cut short by a fresh event, which keeps the failure count', async () => {
      await queue.add([itemFor('u1', 'first')]);
      await (await takeNext(queue)).later(0, { failed: true });
      await (await takeNext(queue)).later(farMs, { failed: true });
      await queue.add([itemFor('u1', 'fresh')]);
      const lease = await takeNext(queue);
      expect(lease.failures).toBe(2);
      expect(lease.item.cause).toBe('fresh');
    });

    it('are cut short while a taker waits', async () => {
      await queue.add([itemFor('u1')]);
      await (await takeNext(queue)).later(farMs, { failed: false });
      const waiting = takeNext(queue);
      await sleep(100);
      const askedMs = Date.now();
      await queue.add([itemFor('u1', 'fresh')]);
      await waiting;
      expect(Date.now() - askedMs).toBeLessThan(promptMs);
    });

    it('count a failure only when one happened', async () => {
      await queue.add([itemFor('u1')]);
      await (await takeNext(queue)).later(0, { failed: true });
      await (await takeNext(queue)).later(0, { failed: false });
      expect((await takeNext(queue)).failures).toBe(1);
    });

    it('forget their failures when they are done', async () => {
      await queue.add([itemFor('u1')]);
      await (await takeNext(queue)).later(0, { failed: true });
      await (await takeNext(queue)).ack();
      await queue.add([itemFor('u1')]);
      expect((await takeNext(queue)).failures).toBe(0);
    });

    it('do not delay others', async () => {
      await queue.add([itemFor('slow')]);
      await (await takeNext(queue)).later(farMs, { failed: true });
      await queue.add([itemFor('quick')]);
      expect((await takeNext(queue)).item.key.uid).toBe('quick');
    });
  });

  describe('a dying worker (queue-5)', () => {
    it('does not lose the item, even twice in a row', async () => {
      await queue.add([itemFor('u1')]);
      await subject.dieHolding(fn);
      await subject.dieHolding(fn);
      const lease = await takeNext(queue, 15_000);
      expect(lease.item).toEqual(itemFor('u1'));
      await lease.ack();
      await expectNothing(queue);
    });

    it('does not lose the failures nor a wake-up that came meanwhile', async () => {
      await queue.add([itemFor('u1', 'first')]);
      await (await takeNext(queue)).later(0, { failed: true });
      await subject.dieHolding(fn);
      await queue.add([itemFor('u1', 'second')]);
      const lease = await takeNext(queue, 15_000);
      expect(lease.item.cause).toBe('second');
      expect(lease.failures).toBe(1);
    });
  });

  describe('parked items (queue-6)', () => {
    it('stay aside with their reason', async () => {
      await queue.add([itemFor('u1')]);
      const beforeMs = Date.now();
      await (await takeNext(queue)).park('the function answered 400: no such kind');
      const [parked] = await queue.parked(fn);
      expect(parked).toMatchObject({
        item: itemFor('u1'),
        reason: 'the function answered 400: no such kind',
      });
      expect(parked!.parkedAtMs).toBeGreaterThanOrEqual(beforeMs);
      expect(parked!.parkedAtMs).toBeLessThanOrEqual(Date.now());
      expect(await queue.depth(fn)).toEqual({ waiting: 0, running: 0, delayed: 0, parked: 1 });
      await expectNothing(queue);
    });

    it('run again after a fresh event, with their failures kept, and are parked no more', async () => {
      await queue.add([itemFor('u1')]);
      await (await takeNext(queue)).later(0, { failed: true });
      await (await takeNext(queue)).park('failed too often');
      await queue.add([itemFor('u1', 'fresh')]);
      expect(await queue.parked(fn)).toEqual([]);
      const lease = await takeNext(queue);
      expect(lease.item.cause).toBe('fresh');
      expect(lease.failures).toBe(1);
      await lease.ack();
      expect(await queue.depth(fn)).toEqual({ waiting: 0, running: 0, delayed: 0, parked: 0 });
    });

    it('give way, the oldest first, when there are too many', async () => {
      for (let n = 0; n < maxParked + 2; n += 1) {
        await queue.add([itemFor(`u${n}`)]);
        await (await takeNext(queue)).park(`reason ${n}`);
        await sleep(2);
      }
      const reasons = (await queue.parked(fn)).map(({ reason }) => reason);
      expect(reasons).toHaveLength(maxParked);
      expect(reasons[0]).toBe('reason 2');
      await queue.add([itemFor('u0')]);
      expect((await takeNext(queue)).item.key.uid).toBe('u0');
    });
  });

  describe('parked items that are dropped (queue-6)', () => {
    it('are forgotten with their failures', async () => {
      await queue.add([itemFor('a'), itemFor('b')]);
      await (await takeNext(queue)).later(0, { failed: true });
      for (const reason of ['one', 'two']) await (await takeNext(queue)).park(reason);
      expect(await queue.dropParked(itemFor('a'))).toBe(true);
      expect(await queue.dropParked(itemFor('a'))).toBe(false);
      expect((await queue.parked(fn)).map(({ item }) => item.key.uid)).toEqual(['b']);
      await queue.add([itemFor('a', 'e2')]);
      const lease = await takeNext(queue);
      expect(lease).toMatchObject({ item: itemFor('a', 'e2'), failures: 0 });
      await lease.ack();
    });

    it('stay when they wait, run, or are put off', async () => {
      await queue.add([itemFor('running')]);
      const lease = await takeNext(queue);
      await queue.add([itemFor('delayed')]);
      await (await takeNext(queue)).later(farMs, { failed: false });
      await queue.add([itemFor('waiting')]);
      const counted = { waiting: 1, running: 1, delayed: 1, parked: 0 };
      expect(await queue.depth(fn)).toMatchObject(counted);
      for (const uid of ['running', 'delayed', 'waiting', 'unknown']) {
        expect(await queue.dropParked(itemFor(uid))).toBe(false);
      }
      expect(await queue.depth(fn)).toMatchObject(counted);
      await lease.ack();
    });
  });

  describe('parked items that give way (queue-6)', () => {
    it('leave alone what was put off and what was woken', async () => {
      await queue.add([itemFor('delayed'), itemFor('woken')]);
      await (await takeNext(queue)).later(farMs, { failed: false });
      await (await takeNext(queue)).park('no');
      await queue.add(Array.from({ length: maxParked + 1 }, (_, n) => itemFor(`u${n}`)));
      const leases: Lease[] = [];
      for (let n = 0; n <= maxParked; n += 1) leases.push(await takeNext(queue));
      await queue.add([itemFor('woken')]);
      for (const lease of leases) await lease.park('no');
      const counted = { waiting: 1, running: 0, delayed: 1, parked: maxParked };
      expect(await queue.depth(fn)).toMatchObject(counted);
      expect((await takeNext(queue)).item.key.uid).toBe('woken');
    });
  });

  describe('an emptied store (queue-7)', () => {
    it('serves later adds to a taker that was waiting', async () => {
      const waiting = takeNext(queue);
      await sleep(100);
      await subject.empty();
      await queue.add([itemFor('u1')]);
      expect((await waiting).item.key.uid).toBe('u1');
    });

    it('serves later adds of items that were waiting, delayed or parked', async () => {
      await queue.add(['delayed', 'parked', 'waiting'].map((uid) => itemFor(uid)));
      await (await takeNext(queue)).later(farMs, { failed: true });
      await (await takeNext(queue)).park('no');
      await subject.empty();
      expect(await queue.depth(fn)).toEqual({ waiting: 0, running: 0, delayed: 0, parked: 0 });
      await queue.add(['delayed', 'parked', 'waiting'].map((uid) => itemFor(uid)));
      const failures: number[] = [];
      for (let n = 0; n < 3; n += 1) {
        const lease = await takeNext(queue);
        failures.push(lease.failures);
        await lease.ack();
      }
      expect(failures).toEqual([0, 0, 0]);
    });

    it.each(['ack', 'later', 'park'] as const)('makes %s of a lost lease quiet', async (verb) => {
      await queue.add([itemFor('u1')]);
      const lease = await takeNext(queue);
      await subject.empty();
      await settle(lease, verb);
      await queue.add([itemFor('u1', 'fresh')]);
      const again = await takeNext(queue);
      expect(again.item.cause).toBe('fresh');
      expect(again.failures).toBe(0);
    });

    it('does not let a lost lease settle the run that came after it', async () => {
      await queue.add([itemFor('u1')]);
      const lost = await takeNext(queue);
      await subject.empty();
      await queue.add([itemFor('u1', 'fresh')]);
      const current = await takeNext(queue);
      await lost.ack();
      expect(await queue.depth(fn)).toMatchObject({ running: 1 });
      await current.ack();
      expect(await queue.depth(fn)).toMatchObject({ running: 0 });
    });

    it('notifies the holder that its lease is lost', async () => {
      await queue.add([itemFor('u1')]);
      const lease = await takeNext(queue);
      expect(lease.signal.aborted).toBe(false);
      await subject.empty();
      await expect.poll(() => lease.signal.aborted).toBe(true);
    });
  });

  describe('taking and settling', () => {
    it('ends a take when its signal aborts, and keeps the item for the next', async () => {
      const abort = new AbortController();
      const waiting = queue.take(fn, abort.signal);
      abort.abort();
      expect(await waiting).toBeUndefined();
      await queue.add([itemFor('u1')]);
      expect((await takeNext(queue)).item.key.uid).toBe('u1');
    });

    it('counts the second settlement of a lease for nothing', async () => {
      await queue.add([itemFor('u1')]);
      const lease = await takeNext(queue);
      await lease.ack();
      await lease.later(0, { failed: true });
      await lease.park('no');
      expect(await queue.depth(fn)).toEqual({ waiting: 0, running: 0, delayed: 0, parked: 0 });
    });

    it('sends takers away and warns holders when it closes', async () => {
      await queue.add([itemFor('u1')]);
      const lease = await takeNext(queue);
      const waiting = queue.take(fn, new AbortController().signal);
      const closed = queue.close();
      expect(await waiting).toBeUndefined();
      expect(lease.signal.aborted).toBe(true);
      await lease.ack();
      await closed;
      expect(await queue.take(fn, new AbortController().signal)).toBeUndefined();
    });
  });
}

async function settle(lease: Lease, verb: 'ack' | 'later' | 'park'): Promise<void> {
  switch (verb) {
    case 'ack':
      return lease.ack();
    case 'later':
      return lease.later(farMs, { failed: true });
    case 'park':
      return lease.park('no');
  }
}
