/** Attack 37, as far as it concerns the views that the bridge keeps in Redis for functions that run apart. */
import { randomBytes, randomUUID } from 'node:crypto';
import { Redis as RedisClient } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type KubeObject, resourceKey } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { flow, job, ownedBy } from '#shared/domain/testing/objects.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { silentLog } from '#shared/redis/log.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { createRedisViews } from '#shared/views/redis-views.ts';
import { createSeal, placeOf } from '#shared/views/seal.ts';
import { keepOfJob } from '#shared/subscription/keep.ts';
import { StoredViewReader } from '#shared/views/stored-view-reader.ts';
import { entryKey, type ViewStore } from '#shared/views/view-store.ts';
import { type Redis, startRedis } from '#test/support/redis.ts';
import { describeWithRedis } from '#test/support/require.ts';

const { Job, JobFlow } = resources;
const ours = flow({ name: 'ours', uid: 'ours' });
const theirs = flow({ name: 'theirs', uid: 'theirs' });
const complete = { conditions: [{ type: 'Complete', status: 'True' }] };
const running = job({ name: 'a', uid: 'a', version: '7', metadata: ownedBy(ours) });
const done = job({
  name: 'a',
  uid: 'a',
  version: '9',
  metadata: ownedBy(theirs),
  status: complete,
});

describeWithRedis('an attacker who writes to the views in Redis (attack 37)', () => {
  let redis: Redis;
  let attacker: RedisClient;
  let store: ViewStore;
  let reader: StoredViewReader;
  let prefix: string;
  const cluster = randomUUID();
  const seal = createSeal(() => [key], cluster);
  const key = randomBytes(32);
  const asked: string[] = [];
  beforeAll(async () => {
    redis = await startRedis();
    attacker = new RedisClient(redis.url);
  });
  afterAll(async () => {
    attacker.disconnect();
    await store.close();
    await redis.stop();
  });

  const entryOf = (root: KubeObject, child: KubeObject) => {
    const { uid, resourceVersion: version } = child.metadata;
    const name = entryKey(resourceKey(Job), uid);
    const place = placeOf(root.metadata.uid, name, version);
    return { key: name, version, content: seal.close(JSON.stringify(child), place) };
  };
  const jobs = () => reader.listByOwner(Job, { namespace: 'default', uid: ours.metadata.uid });
  const hash = (root: KubeObject): string => `${prefix}:view:${root.metadata.uid}`;

  beforeEach(async () => {
    asked.length = 0;
    prefix = `{${randomUUID()}}`;
    store = createRedisViews({ url: redis.url, log: silentLog, prefix });
    await store.hold('bridge', false);
    await store.write('bridge', [
      { root: ours.metadata.uid, isWhole: true, entries: [entryOf(ours, running)] },
      { root: theirs.metadata.uid, isWhole: true, entries: [entryOf(theirs, done)] },
    ]);
    const server = {
      listByOwner: async () => {
        asked.push('the API server');
        return [running];
      },
    } as unknown as Reader;
    reader = new StoredViewReader({
      ...{
        store,
        seal,
        server,
        decides: [JobFlow],
        children: [{ resource: Job, keep: keepOfJob }],
        listed: [],
        clock: systemClock,
      },
      onFailure: () => undefined,
    });
  });

  it('is believed where it is the bridge', async () => {
    expect(await jobs()).toEqual([running]);
    expect(asked).toEqual([]);
  });

  it('cannot invent the state of a Job', async () => {
    const forged = JSON.stringify({ ...running, status: complete });
    const field = entryKey(resourceKey(Job), running.metadata.uid);
    for (const content of [forged, Buffer.from(forged).toString('base64')]) {
      await attacker.hset(hash(ours), field, `7 ${content}`);
      expect(await jobs()).toEqual([running]);
      expect(asked).toEqual(['the API server']);
      asked.length = 0;
    }
  });

  it('cannot put what is true of one object in the place of another', async () => {
    const field = entryKey(resourceKey(Job), running.metadata.uid);
    const stolen = (await attacker.hget(hash(theirs), field)) ?? '';
    await attacker.hset(hash(ours), field, stolen);
    expect(await jobs()).toEqual([running]);
    expect(asked).toEqual(['the API server']);
  });

  it('cannot read what is kept of a Job', async () => {
    const values = await attacker.hgetall(hash(ours));
    expect(JSON.stringify(values)).not.toContain('ownerReferences');
  });

  it('gains by deleting only that the API server is asked', async () => {
    await attacker.del(hash(ours));
    expect(await jobs()).toEqual([running]);
    expect(asked).toEqual(['the API server']);
  });
});
