import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MillraceError } from '#shared/domain/errors.ts';
import { asEventId, asUid } from '#shared/domain/objects.ts';
import { createMemoryQueue, type MemoryQueue } from '#shared/queue/memory-queue.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { defaultLimits } from '#shared/runtime/http/service-limits.ts';
import { dueHeaders } from '#shared/runtime/testing/served-function.ts';
import { askControl } from './ask-control.ts';
import { type ControlService, startControlService } from './control-service.ts';

let service: ControlService | undefined;
let queue: MemoryQueue;
beforeEach(() => (queue = createMemoryQueue({ clock: systemClock })));
afterEach(() => service?.close());

const token = 'secret';
const item = {
  ...{ function: 'flow-advance', cause: asEventId('uid-1.7') },
  key: {
    ...{ apiVersion: 'api.practice.com/v1alpha1', kind: 'JobFlow' },
    ...{ namespace: 'default', name: 'hello', uid: asUid('uid-1') },
  },
};
const records = { events: [], decisions: [] };

async function started(): Promise<ControlService> {
  service = await startControlService({
    desk: {
      recordsOf: () => Promise.resolve(records as never),
      redeliver: () => Promise.resolve(undefined),
    },
    invoke: (name, { id }) =>
      Promise.resolve(name === 'flow-advance' ? { kind: 'parked', detail: id } : undefined),
    journal: { read: (after, limit) => Promise.resolve([{ after, limit }] as never) },
    queue,
    logger: pino({ level: 'silent' }),
    registry: new Registry(),
    token,
    notReady: () => undefined,
  });
  return service;
}

const ask = (url: string, method: 'GET' | 'POST') =>
  fetch(url, { method, headers: { authorization: `Bearer ${token}` } });

/** Blocks for longer than the sampling period, so that the next sample measures only this. */
async function keepBusy(): Promise<void> {
  const untilMs = performance.now() + 2 * defaultLimits.pressureSampleMs;
  while (performance.now() < untilMs);
  await setImmediate();
}

test('the service lists events also while the process is busy', async () => {
  const { url } = await started();
  await keepBusy();
  const [listed, redelivered] = await Promise.all([
    ask(`${url}/events/of/some-uid`, 'GET'),
    ask(`${url}/events/some-event/redeliver`, 'POST'),
  ]);
  expect([listed.status, redelivered.status]).toEqual([200, 404]);
  expect(await listed.json()).toEqual(records);
});

test('answers with its metrics at the address that `up` prints, without a token', async () => {
  const { url } = await started();
  const answer = await fetch(`${url}/metrics`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
});

test('gives the journal in pages, of a bounded length and from a position only', async () => {
  const { url } = await started();
  const first = await ask(`${url}/journal?limit=100000`, 'GET');
  expect(await first.json()).toEqual([{ limit: 1_000 }]);
  const refused = await ask(`${url}/journal?after=..%2Fup.json`, 'GET');
  expect(refused.status).toBe(400);
});

test('says how much waits in the queue of each function', async () => {
  const { url } = await started();
  await queue.add([item]);
  const answer = await ask(`${url}/queue`, 'GET');
  const oldestWaitMs: unknown = expect.any(Number);
  const depth = { waiting: 1, running: 0, delayed: 0, parked: 0, oldestWaitMs };
  expect(await answer.json()).toContainEqual({ function: item.function, depth, parked: [] });
});

test('says that Redis is away, and not that `up` is, while its queue does not answer', async () => {
  const away = new MillraceError('MR_QUEUE_UNAVAILABLE', { address: 'redis:6379', detail: 'gone' });
  queue.depth = () => Promise.reject(away);
  const { url } = await started();
  const askIt = askControl(url, {
    headers: () => Promise.resolve({ authorization: `Bearer ${token}` }),
  });
  await expect(askIt('/queue')).rejects.toMatchObject({
    code: 'MR_QUEUE_UNAVAILABLE',
    message: 'Redis at redis:6379 does not answer: gone',
  });
});

test('drops what is parked, and nothing else', async () => {
  const { url } = await started();
  const drop = async () => (await ask(`${url}/queue/${item.function}/uid-1/drop`, 'POST')).status;
  await queue.add([item]);
  expect(await drop()).toBe(404);
  await (await queue.take(item.function, AbortSignal.timeout(5_000)))?.park('no');
  expect(await drop()).toBe(200);
  expect(await queue.parked(item.function)).toEqual([]);
});

test('brings an event to a function and answers as the function does', async () => {
  const { url } = await started();
  const send = (name: string, headers: Record<string, string>) =>
    fetch(`${url}/functions/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
  const parked = await send('flow-advance', dueHeaders('a'));
  expect([parked.status, await parked.json()]).toEqual([
    422,
    { title: 'Not Done', status: 422, detail: 'id.a' },
  ]);
  expect((await send('flow-advance', {})).status).toBe(400);
  expect((await send('other', dueHeaders('a'))).status).toBe(404);
});

test('the service answers no request without its token', async () => {
  const { url } = await started();
  const { status } = await fetch(`${url}/events/of/some-uid`);
  expect(status).toBe(401);
});
