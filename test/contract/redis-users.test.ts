/**
 * Each process works as its own user of a real Redis, and the server refuses none of its commands.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { processes } from '#functions/processes.ts';
import { createRedisJournal } from '#shared/journal/redis-journal.ts';
import { createBullmqQueue } from '#shared/queue/bullmq-queue.ts';
import type { WorkQueue } from '#shared/queue/work-queue.ts';
import { createRedisViews } from '#shared/views/redis-views.ts';
import type { ViewStore } from '#shared/views/view-store.ts';
import { type RedisWithUsers, startRedisWithUsers } from '#test/support/redis-users.ts';
import { describeWithRedis } from '#test/support/require.ts';
import { flushAll, maxParked, openBullmq } from './bullmq-under-test.ts';
import { decisionRecord, journalContract } from './journal-contract.ts';
import { viewsContract } from './views-contract.ts';
import { hasten } from './views-in-redis.ts';
import { itemFor, takeNext, workQueueContract } from './work-queue-contract.ts';

describeWithRedis('a Redis with a user for each process', () => {
  let server: RedisWithUsers;
  beforeAll(async () => {
    server = await startRedisWithUsers();
  });
  afterAll(() => server.stop());
  afterEach(async () => {
    expect(await server.refusals()).toEqual([]);
  });
  const empty = () => flushAll(server.adminUrl);

  describe('the journal of the bridge', () => {
    journalContract(async (bounds = {}) => {
      await empty();
      const journal = createRedisJournal({ ...server.adapterOf('bridge'), bounds });
      return { journal, empty, close: () => journal.close() };
    });
  });

  const recorders = processes.filter(({ part }) => part === 'function' || part === 'admission');
  it.each(recorders.map(({ name, part }) => [name, part === 'admission' ? ':reviews' : '']))(
    '%s records',
    async (name, below) => {
      await empty();
      const { prefix, ...adapter } = server.adapterOf(name);
      const journal = createRedisJournal({ ...adapter, prefix: `${prefix}${below}` });
      await journal.append(['a', 'b'].map(decisionRecord));
      await journal.append([decisionRecord('c')]);
      await journal.close();
      expect(await server.admin.xlen(`${prefix}${below}:journal`)).toBe(3);
    },
  );

  describe('the queue to which the bridge adds and from which the dispatcher takes', () => {
    workQueueContract(
      async () => {
        await empty();
        const taking = openBullmq(server.urlOf('dispatcher'), server.prefix);
        const adding = createBullmqQueue(server.adapterOf('bridge'));
        const { queue: taken } = taking;
        const queue: WorkQueue = {
          add: (items) => adding.add(items),
          take: (functionName, signal) => taken.take(functionName, signal),
          depth: (functionName) => taken.depth(functionName),
          parked: (functionName) => taken.parked(functionName),
          dropParked: (item) => taken.dropParked(item),
          close: () => taken.close(),
        };
        const close = async () => {
          await taking.close();
          await adding.close();
        };
        return { ...taking, queue, empty, close };
      },
      { maxParked },
    );
  });

  it('the dispatcher adds what is to run again', async () => {
    await empty();
    const queue = createBullmqQueue(server.adapterOf('dispatcher'));
    const name = 'flow-advance';
    await queue.add([itemFor('u1', 'e1', name)]);
    const lease = await takeNext(queue, 5_000, name);
    await queue.add([lease.item]);
    await lease.ack();
    await (await takeNext(queue, 5_000, name)).ack();
    await queue.close();
  });

  describe('the views that the bridge writes and a function reads', () => {
    viewsContract(async (times = {}) => {
      await empty();
      const writing = createRedisViews({ ...server.adapterOf('bridge'), times });
      const reading = createRedisViews({ ...server.adapterOf('flow-advance'), times });
      const store: ViewStore = {
        hold: (session, takesOver) => writing.hold(session, takesOver),
        release: (session) => writing.release(session),
        write: (session, writes) => writing.write(session, writes),
        note: (root, notes) => reading.note(root, notes),
        notes: (root) => reading.notes(root),
        read: (root, known) => reading.read(root, known),
        close: () => writing.close(),
      };
      const close = async () => {
        await Promise.all([writing.close(), reading.close()]);
      };
      return { store, empty, pass: (ms) => hasten(server.adminUrl, ms), close };
    });
  });
});
