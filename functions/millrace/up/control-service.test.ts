import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, expect, test } from 'vitest';
import { defaultLimits } from '#shared/runtime/http/service-limits.ts';
import { type ControlService, startControlService } from './control-service.ts';

let service: ControlService | undefined;
afterEach(() => service?.close());

const token = 'secret';
const depth = { waiting: 3, running: 1, delayed: 0, parked: 0 };
const records = { events: [], decisions: [] };

async function started(): Promise<ControlService> {
  service = await startControlService({
    desk: {
      recordsOf: () => Promise.resolve(records as never),
      redeliver: () => Promise.resolve(undefined),
    },
    journal: { read: (after, limit) => Promise.resolve([{ after, limit }] as never) },
    queue: { depth: () => Promise.resolve(depth), parked: () => Promise.resolve([]) },
    logger: pino({ level: 'silent' }),
    registry: new Registry(),
    token,
    notReady: () => undefined,
  });
  return service;
}

const ask = (url: string, method: 'GET' | 'POST') =>
  fetch(url, { method, headers: { authorization: `Bearer ${token}` } });

/** Longer than pressure is measured over, so that the next measurement finds nothing else. */
async function keepBusy(): Promise<void> {
  const untilMs = performance.now() + 2 * defaultLimits.pressureSampleMs;
  while (performance.now() < untilMs);
  await setImmediate();
}

test('tells of events also while the process has its hands full', async () => {
  const { url } = await started();
  await keepBusy();
  const [told, redelivered] = await Promise.all([
    ask(`${url}/events/of/some-uid`, 'GET'),
    ask(`${url}/events/some-event/redeliver`, 'POST'),
  ]);
  expect([told.status, redelivered.status]).toEqual([200, 404]);
  expect(await told.json()).toEqual(records);
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
  const answer = await ask(`${url}/queue`, 'GET');
  expect(await answer.json()).toContainEqual({ function: 'flow-advance', depth, parked: [] });
});

test('tells nobody without its token', async () => {
  const { url } = await started();
  const { status } = await fetch(`${url}/events/of/some-uid`);
  expect(status).toBe(401);
});
