/** A real redis-server with the arguments of the bundled Redis, completed as the kubelet would. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { processes } from '#functions/processes.ts';
import { asUid } from '#shared/domain/objects.ts';
import { createOwnCertificate } from '#shared/domain/own-certificate.ts';
import { defaultSettings } from '#shared/installation/default-settings.ts';
import { trialRedis } from '#shared/installation/trial-redis.ts';
import { createRedisJournal } from '#shared/journal/redis-journal.ts';
import { createBullmqQueue } from '#shared/queue/bullmq-queue.ts';
import { redisPrefix } from '#shared/redis/key-prefix.ts';
import { silentLog } from '#shared/redis/log.ts';
import { type Redis, startRedis } from '#test/support/redis.ts';
import { describeWithRedis } from '#test/support/require.ts';
import { eventRecord } from './journal-contract.ts';
import { itemFor, takeNext } from './work-queue-contract.ts';

interface Container {
  readonly args: readonly string[];
  readonly env: readonly {
    readonly name: string;
    readonly valueFrom: { readonly secretKeyRef: { readonly key: string } };
  }[];
}

/** Its arguments, with the test's own ports and files. */
function argumentsWith(secret: (key: string) => string): readonly string[] {
  const [deployment] = trialRedis(processes, defaultSettings(processes, '0'));
  const { spec } = deployment as unknown as {
    readonly spec: { readonly template: { readonly spec: { readonly containers: [Container] } } };
  };
  const { args, env } = spec.template.spec.containers[0];
  return args
    .slice(args.indexOf('--user'))
    .map((argument) =>
      env.reduce(
        (text, { name, valueFrom }) =>
          text.replaceAll(`$(${name})`, secret(valueFrom.secretKeyRef.key)),
        argument,
      ),
    );
}

describeWithRedis('the Redis that comes along', () => {
  const cluster = randomUUID();
  const certificate = createOwnCertificate(Date.now());
  let redis: Redis;
  let folder: string;
  let caFile: string;
  beforeAll(async () => {
    const secret = (key: string): string => {
      if (key === 'cluster') return cluster;
      const user = key.replace(/-sha256$/, '');
      return createHash('sha256').update(`password-of-${user}`).digest('hex');
    };
    redis = await startRedis({ tls: certificate, args: argumentsWith(secret) });
    folder = await mkdtemp(join(tmpdir(), 'millrace-trial-redis-'));
    caFile = join(folder, 'ca.crt');
    await writeFile(caFile, certificate.cert);
  });
  afterAll(async () => {
    await redis.stop();
    await rm(folder, { recursive: true });
  });

  const adapterOf = (user: string, password = `password-of-${user}`) => {
    const url = new URL(redis.url);
    [url.username, url.password] = [user, password];
    const prefix = redisPrefix(asUid(cluster));
    return { url: url.href, caFile, log: silentLog, prefix, timeoutMs: 2_000 };
  };

  it('hands an event of the bridge to the dispatcher', async () => {
    const journal = createRedisJournal(adapterOf('bridge'));
    await journal.append([eventRecord('u1.1')]);
    const adding = createBullmqQueue(adapterOf('bridge'));
    await adding.add([itemFor('u1')]);
    const taking = createBullmqQueue(adapterOf('dispatcher'));
    const lease = await takeNext(taking);
    expect(lease.item).toEqual(itemFor('u1'));
    await lease.ack();
    await Promise.all([journal, adding, taking].map((each) => each.close()));
  });

  it.each([
    ['the default user', 'default', ''],
    ['a user with the password of another', 'bridge', 'password-of-dispatcher'],
  ])('serves not %s', async (_, user, password) => {
    const journal = createRedisJournal(adapterOf(user, password));
    await expect(journal.epoch()).rejects.toMatchObject({ code: 'MR_QUEUE_UNAVAILABLE' });
    await journal.close();
  });
});
