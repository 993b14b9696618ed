/**
 * A real Redis that accepts only TLS, with a certificate of an authority that the system does not
 * know.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { asUid } from '#shared/domain/objects.ts';
import { createOwnCertificate } from '#shared/domain/own-certificate.ts';
import { createRedisJournal } from '#shared/journal/redis-journal.ts';
import { createBullmqQueue } from '#shared/queue/bullmq-queue.ts';
import { silentLog } from '#shared/redis/log.ts';
import { createRedisViews } from '#shared/views/redis-views.ts';
import { type RedisWithUsers, startRedisWithUsers } from '#test/support/redis-users.ts';
import { describeWithRedis } from '#test/support/require.ts';
import { decisionRecord } from './journal-contract.ts';
import { itemFor, takeNext } from './work-queue-contract.ts';

const fn = 'flow-advance';

describeWithRedis('a Redis that speaks TLS', () => {
  const certificate = createOwnCertificate(Date.now());
  let server: RedisWithUsers;
  let folder: string;
  let caFile: string;
  beforeAll(async () => {
    server = await startRedisWithUsers({ tls: certificate });
    folder = await mkdtemp(join(tmpdir(), 'millrace-redis-ca-'));
    caFile = join(folder, 'ca.crt');
    await writeFile(caFile, certificate.cert);
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  it('serves queue, journal and views to clients that trust its authority', async () => {
    const [bridge, dispatcher, functions] = ['bridge', 'dispatcher', fn].map((user) => ({
      ...{ ...server.adapterOf(user), caFile },
    })) as [Adapter, Adapter, Adapter];
    const adding = createBullmqQueue(bridge);
    await adding.add([itemFor('u1', 'e1', fn)]);
    const taking = createBullmqQueue(dispatcher);
    // Blocking calls have a connection of their own.
    await (await takeNext(taking, 10_000, fn)).ack();
    expect(await taking.take(fn, AbortSignal.timeout(200))).toBeUndefined();
    const journal = createRedisJournal(functions);
    await journal.append([decisionRecord('a')]);
    const writing = createRedisViews(bridge);
    const reading = createRedisViews(functions);
    await writing.hold('mine', false);
    await writing.write('mine', [{ root: asUid('u1'), isWhole: true, entries: [] }]);
    expect((await reading.read(asUid('u1')))?.entries).toEqual([]);
    await Promise.all([adding, taking, journal, writing, reading].map((each) => each.close()));
    expect(await server.refusals()).toEqual([]);
  });

  it('is not trusted by a client that does not know the authority', async () => {
    const nowhere = join(folder, 'absent.crt');
    for (const trust of [{}, { caFile: nowhere }]) {
      const said: object[] = [];
      const log = { ...silentLog, warn: (fields: object) => void said.push(fields) };
      const adapter = { ...server.adapterOf('bridge'), ...trust, log, timeoutMs: 1_000 };
      const journal = createRedisJournal(adapter);
      await expect(journal.epoch()).rejects.toMatchObject({ code: 'MR_QUEUE_UNAVAILABLE' });
      expect(said).toMatchObject([{ error: expect.stringContaining('self-signed') as string }]);
      await journal.close();
    }
  });

  it('is trusted as soon as the file says so', async () => {
    const later = join(folder, 'later.crt');
    await writeFile(later, createOwnCertificate(Date.now()).cert);
    const journal = createRedisJournal({
      ...{ ...server.adapterOf('bridge'), caFile: later, timeoutMs: 1_000 },
    });
    await expect(journal.epoch()).rejects.toMatchObject({ code: 'MR_QUEUE_UNAVAILABLE' });
    await writeFile(later, certificate.cert);
    await expect.poll(() => journal.epoch().catch(() => '')).not.toBe('');
    await journal.close();
  });

  it('answers nothing in clear text', async () => {
    const { port } = new URL(server.redis.url);
    const answer = await new Promise<string>((resolve) => {
      const pieces: Buffer[] = [];
      const socket = connect(Number(port), '127.0.0.1', () => socket.write('PING\r\n'));
      socket.on('data', (piece: Buffer) => pieces.push(piece));
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(Buffer.concat(pieces).toString('latin1')));
    });
    expect(answer).not.toMatch(/PONG|NOAUTH/);
  });
});

type Adapter = ReturnType<RedisWithUsers['adapterOf']> & { readonly caFile: string };
