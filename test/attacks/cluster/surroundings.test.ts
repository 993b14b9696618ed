/** Events around Millrace: forged and lost items, a deleted namespace, other versions. */
import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { asEventId, asUid } from '#shared/domain/objects.ts';
import { describeFlows } from '#test/support/flow-suite.ts';
import { flow, step, untilEnded } from '#test/support/flow-world.ts';
import { kubectlOrThrow } from '#test/support/control-plane/kubectl.ts';

describeFlows('attacks from the surroundings', (suite) => {
  it('#37 loses nothing but time when an attacker writes to Redis', async () => {
    const world = await suite.world('attack-37');
    await world.apply(
      flow('robust', [
        step('a', { runFor: untilEnded }),
        step('b', { after: ['a'], runFor: '300ms' }),
        step('c', { after: ['b'] }),
      ]),
    );
    await world.untilRunning('robust-a');
    const key = {
      apiVersion: 'api.practice.com/v1alpha1',
      kind: 'JobFlow',
      namespace: world.namespace,
      name: 'robust',
      uid: asUid('11111111-2222-3333-4444-555555555555'),
    };
    const forged = { function: 'flow-advance', key, cause: asEventId('forged.1') } as const;
    await suite.enqueue([
      forged,
      { ...forged, key: { ...key, uid: world.uidOf('robust'), name: '../../kube-system' } },
      { ...forged, key: { ...key, kind: 'Secret', name: 'any' } },
    ]);
    const redis = new Redis(suite.redis().url);
    try {
      await world.endPod('robust-a');
      for (const found of await redis.keys('*')) await spoil(redis, found);
      await world.untilState('robust', 'Succeed');
    } finally {
      redis.disconnect();
    }
    expect(await world.namesEverCreated()).toEqual(['robust-a', 'robust-b', 'robust-c']);
  });

  it('#40 keeps the values of environments out of Redis, Events and status', async () => {
    const world = await suite.world('attack-40');
    const canary = 'canary-7f3e1c';
    const env = [{ name: 'PASSWORD', value: canary }];
    const pod = { containers: [{ name: 'main', image: 'busybox', env }] };
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': canary };
    await world.apply({
      ...flow('quiet', [step('a', { pod }), step('b', { after: ['a'], exitCode: 3 })], {
        globalParams: { env: [{ name: 'TOKEN', value: canary }] },
      }),
      metadata: { name: 'quiet', annotations },
    });
    await world.untilState('quiet', 'Failed');
    expect(JSON.stringify(world.flow('quiet')?.status)).not.toContain(canary);
    expect(JSON.stringify(await world.events())).not.toContain(canary);
    const redis = new Redis(suite.redis().url);
    try {
      for (const found of await redis.keys('*')) {
        expect(found).not.toContain(canary);
        expect(JSON.stringify(await contentOf(redis, found))).not.toContain(canary);
      }
    } finally {
      redis.disconnect();
    }
  });

  it('#45 holds no namespace that is deleted while it is away', async () => {
    const world = await suite.world('attack-45');
    await world.apply(flow('orphan', [step('a', { runFor: untilEnded }), step('b')]));
    await world.untilRunning('orphan-a');
    await suite.stopMillrace();
    try {
      await kubectlOrThrow(suite.cluster.kubectl, ['delete', 'namespace', world.namespace]);
      expect(await suite.api().get('Namespace', { name: world.namespace, namespace: '' })).toBe(
        undefined,
      );
    } finally {
      await suite.startMillrace();
    }
  });
});

/** Overwrites, truncates or removes a key, by its type. */
async function spoil(redis: Redis, key: string): Promise<void> {
  switch (await redis.type(key)) {
    case 'hash':
      await redis.hset(key, 'data', '{"function":"flow-advance","key":{"uid":5}}', 'opts', '{');
      return;
    case 'list':
      await redis.lpush(key, 'no-such-job');
      return;
    default:
      await redis.del(key);
  }
}

async function contentOf(redis: Redis, key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case 'hash':
      return redis.hgetall(key);
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'set':
      return redis.smembers(key);
    case 'zset':
      return redis.zrangebyscore(key, '-inf', '+inf');
    case 'stream':
      return redis.xrange(key, '-', '+');
    default:
      return redis.get(key);
  }
}
