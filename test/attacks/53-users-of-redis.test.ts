/** An attacker has taken over a process, with the Redis password of that process. */
import { Redis as RedisClient } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { asUid } from '#shared/domain/objects.ts';
import { processes } from '#functions/processes.ts';
import { createRedisJournal } from '#shared/journal/redis-journal.ts';
import { createBullmqQueue } from '#shared/queue/bullmq-queue.ts';
import { silentLog } from '#shared/redis/log.ts';
import { createRedisViews } from '#shared/views/redis-views.ts';
import {
  type RedisWithUsers,
  redisUserNames,
  startRedisWithUsers,
} from '#test/support/redis-users.ts';
import { describeWithRedis } from '#test/support/require.ts';
import { decisionRecord, eventRecord } from '../contract/journal-contract.ts';
import { itemFor } from '../contract/work-queue-contract.ts';

const fn = 'flow-advance';
const ofPart = (part: string) =>
  processes.filter((each) => each.part === part).map(({ name }) => name);

describeWithRedis('the users of Redis', () => {
  let server: RedisWithUsers;
  beforeAll(async () => {
    server = await startRedisWithUsers();
  });
  afterAll(() => server.stop());

  async function asUser<Result>(
    user: string,
    body: (client: RedisClient) => Promise<Result>,
  ): Promise<Result> {
    const client = new RedisClient(server.urlOf(user), { disableClientInfo: true });
    // It reports that a command was refused to its sender.
    client.on('error', () => undefined);
    try {
      return await body(client);
    } finally {
      client.disconnect();
    }
  }
  const key = (name: string): string => `${server.prefix}:${name}`;
  const refused = (asked: Promise<unknown>): Promise<void> =>
    expect(asked).rejects.toThrow(/NOPERM|ACL failure|user executing the script can't/);

  it.each(redisUserNames)(
    '#53 %s can neither empty the server, rule it, nor look around',
    async (user) => {
      await server.admin.set(key('kept'), 'x');
      const asked = [
        ['FLUSHALL'],
        ['FLUSHDB'],
        ['KEYS', '*'],
        ['SCAN', '0'],
        ['CONFIG', 'GET', '*'],
        ['CONFIG', 'SET', 'dir', '/tmp'],
        ['SCRIPT', 'FLUSH'],
        ['SCRIPT', 'LOAD', 'return 1'],
        ['FUNCTION', 'LOAD', '#!lua name=x\nredis.register_function("f", function() end)'],
        ['ACL', 'SETUSER', user, '+@all'],
        ['ACL', 'LIST'],
        ['CLIENT', 'LIST'],
        ['CLIENT', 'KILL', 'TYPE', 'normal'],
        ['MODULE', 'LIST'],
        ['MONITOR'],
        ['PUBLISH', 'x', 'y'],
        ['REPLICAOF', '10.0.0.1', '6379'],
        ['SAVE'],
        ['SHUTDOWN', 'NOSAVE'],
        ['SWAPDB', '0', '1'],
        ['EVAL', "return redis.call('FLUSHALL')", '0'],
        ['EVAL', "return redis.call('KEYS', '*')", '0'],
      ] as const;
      await asUser(user, async (client) => {
        for (const [command, ...args] of asked) await refused(client.call(command, ...args));
      });
      expect(await server.admin.exists(key('kept'))).toBe(1);
    },
  );

  it.each(redisUserNames)(
    '#53 %s can touch no key of another cluster, nor any outside',
    async (user) => {
      const others = ['journal', 'views', 'epoch', 'reviews:journal', `${fn}:wait`].map(
        (name) => `{millrace:another}:${name}`,
      );
      await asUser(user, async (client) => {
        for (const other of [...others, 'anything', `x${key('journal')}`]) {
          await refused(client.get(other));
          await refused(client.set(other, 'x'));
          await refused(client.eval('return 1', 1, other));
        }
      });
    },
  );

  it.each([...ofPart('function'), ...ofPart('admission')])(
    '#53 %s can neither add to a queue nor take from one, nor look into it',
    async (user) => {
      const queue = createBullmqQueue(server.adapterOf(user));
      await refused(queue.add([itemFor('u1', 'e1', fn)]));
      await refused(queue.depth(fn));
      await queue.close();
      await asUser(user, async (client) => {
        await refused(client.lrange(key(`${fn}:wait`), 0, -1));
        await refused(client.bzpopmin(key(`${fn}:marker`), 1));
        await refused(client.hgetall(key(`${fn}:meta`)));
      });
    },
  );

  it.each(redisUserNames.filter((name) => name !== 'bridge'))(
    '#53 %s can write neither views nor the epoch, nor forget events',
    async (user) => {
      const views = createRedisViews(server.adapterOf(user));
      await refused(views.hold('mine', true));
      await refused(views.release());
      await views.close();
      await asUser(user, async (client) => {
        await refused(client.set(key('views'), 'mine'));
        await refused(client.pexpire(key('views'), 0));
        await refused(client.hset(key('view:u1'), 'a', 'b'));
        await refused(client.set(key('epoch'), 'mine'));
        await refused(client.del(key('seen:u1.1')));
      });
      const journal = createRedisJournal(server.adapterOf(user));
      await refused(journal.append([eventRecord('u1.1')]));
      await journal.close();
    },
  );

  it.each([...ofPart('admission'), 'dispatcher'])(
    '#53 %s can neither read nor write what was decided',
    async (user) => {
      const journal = createRedisJournal(server.adapterOf(user));
      await refused(journal.append([decisionRecord('forged')]));
      await refused(journal.read(undefined, 10));
      await journal.close();
      const views = createRedisViews(server.adapterOf(user));
      await refused(views.read(asUid('u1')));
      await views.close();
    },
  );

  it('#53 the bridge takes nothing from a queue', async () => {
    await asUser('bridge', async (client) => {
      await refused(client.bzpopmin(key(`${fn}:marker`), 1));
      await refused(client.rpoplpush(key(`${fn}:wait`), key(`${fn}:active`)));
      await refused(client.hgetall(key(`${fn}:1`)));
    });
  });

  it('#53 Redis allows nothing without a password, nor to its default user', async () => {
    const { host } = new URL(server.redis.url);
    for (const known of ['', 'default:x@', 'bridge:@', 'bridge:password of dispatcher@']) {
      const client = new RedisClient(`redis://${known}${host}`, {
        disableClientInfo: true,
        maxRetriesPerRequest: 0,
      });
      client.on('error', () => undefined);
      await expect(client.get(key('journal'))).rejects.toThrow();
      client.disconnect();
    }
    const journal = createRedisJournal({
      ...{ url: server.redis.url, log: silentLog, prefix: server.prefix, timeoutMs: 500 },
    });
    await expect(journal.read(undefined, 1)).rejects.toMatchObject({
      code: 'MR_QUEUE_UNAVAILABLE',
    });
    await journal.close();
  });
});
