import { expect, it, onTestFinished } from 'vitest';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import { createStoredCluster } from '#shared/runtime/testing/stored-cluster.ts';
import { leaseLeadership } from './leadership.ts';

const times = { leaseMs: 15_000, renewMs: 10_000, retryMs: 2_000 };

it('a bridge reports its leadership once it has the Lease, and the end of it at a stop', async () => {
  const { reported, pass, stop } = elected();
  await pass(times.retryMs);
  expect(reported).toEqual([true]);
  await stop();
  expect(reported).toEqual([true, false]);
});

it('a bridge whose Lease could not be renewed in time reports that it leads no more, and logs it', async () => {
  const { reported, warned, pass, connection } = elected();
  await pass(times.retryMs);
  connection.isCut = true;
  await pass(times.renewMs + times.retryMs);
  expect(reported.slice(0, 2)).toEqual([true, false]);
  expect(new Set(warned)).toEqual(new Set(['lease not reachable']));
});

it('does no work for a lease that it won when it was stopped already, and gives it back', async () => {
  const { reported, ended, holder } = elected({ stopsOnWinning: true });
  await ended;
  expect(reported).toEqual([true, false]);
  expect(holder()).toBe('');
});

function elected({ stopsOnWinning = false } = {}) {
  const clock = virtualClock();
  const cluster = createStoredCluster();
  const { client } = cluster;
  const connection = { isCut: false };
  const patch: typeof client.patch = (...args) =>
    connection.isCut ? Promise.reject(new Error('cut off')) : client.patch(...args);
  const stopped = new AbortController();
  const create: typeof client.create = async (...args) => {
    const created = await client.create(...args);
    if (stopsOnWinning) stopped.abort();
    return created;
  };
  const reported: boolean[] = [];
  const warned: string[] = [];
  const leadership = leaseLeadership({
    client: { ...client, create, patch },
    lease: { namespace: 'millrace', name: 'bridge' },
    ...{ identity: 'first', clock, random: () => 0.5, times },
    logger: { warn: (_, message) => void warned.push(message) },
  });
  const ended = leadership.run(stopped.signal, (leading) => reported.push(leading));
  const stop = async (): Promise<void> => {
    stopped.abort();
    await ended;
  };
  onTestFinished(stop);
  const pass = async (ms: number): Promise<void> => {
    for (let passedMs = 0; passedMs < ms; passedMs += 250) await clock.advance(250);
  };
  const holder = (): unknown =>
    (cluster.objects('Lease')[0]?.spec as { readonly holderIdentity?: unknown }).holderIdentity;
  return { reported, warned, connection, pass, stop, ended, holder };
}
