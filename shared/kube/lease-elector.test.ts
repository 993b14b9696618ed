import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { errorClassOf, MillraceError } from '#shared/domain/errors.ts';
import { resources } from '#shared/domain/resources.ts';
import { type VirtualClock, virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import { createStoredCluster } from '#shared/runtime/testing/stored-cluster.ts';
import { type ElectionOptions, runElected } from './lease-elector.ts';

const times = { leaseMs: 15_000, renewMs: 10_000, retryMs: 2_000 };
const lease = { namespace: 'millrace', name: 'bridge' };

/** Advances in steps that are small enough for every timer. */
async function pass(clock: VirtualClock, ms: number): Promise<void> {
  const stepMs = 250;
  for (let passedMs = 0; passedMs < ms; passedMs += stepMs) await clock.advance(stepMs);
}

function election() {
  const clock = virtualClock();
  const { client } = createStoredCluster();
  const leading = new Set<string>();
  const seen = { mostAtOnce: 0 };
  const writes: (readonly [string, unknown])[] = [];
  const join = (identity: string, change: Partial<ElectionOptions> = {}) => {
    const stop = new AbortController();
    const faults: string[] = [];
    const connection = { isCut: false, getAnswerMs: 0, patchAnswerMs: 0, losses: 0, faults };
    const reached = <Answer>(send: () => Promise<Answer>): Promise<Answer> => {
      if (!connection.isCut) return send();
      const fields = { verb: 'any', path: 'leases', detail: 'cut off' };
      return Promise.reject(new MillraceError('MR_API_UNREACHABLE', fields));
    };
    const patch: typeof client.patch = async (...args) => {
      writes.push([identity, args[2]]);
      const patched = await client.patch(...args);
      if (connection.patchAnswerMs > 0) await clock.sleep(connection.patchAnswerMs);
      return patched;
    };
    const get: typeof client.get = async (...args) => {
      const found = await client.get(...args);
      if (connection.getAnswerMs > 0) await clock.sleep(connection.getAnswerMs);
      return found;
    };
    const options: ElectionOptions = {
      client: {
        get: (...args) => reached(() => get(...args)),
        create: (...args) => {
          writes.push([identity, args[1]]);
          return reached(() => client.create(...args));
        },
        patch: (...args) => reached(() => patch(...args)),
      },
      lease,
      identity,
      clock,
      random: () => 0.5,
      times,
      onElected: async (term) => {
        leading.add(identity);
        seen.mostAtOnce = Math.max(seen.mostAtOnce, leading.size);
        await new Promise((resolve) => term.addEventListener('abort', resolve, { once: true }));
        leading.delete(identity);
      },
      onLost: () => (connection.losses += 1),
      onFault: (error) => connection.faults.push(errorClassOf(error)),
      signal: stop.signal,
      ...change,
    };
    const ended = runElected(options);
    ended.catch(() => undefined);
    onTestFinished(async () => {
      stop.abort();
      await Promise.allSettled([ended]);
    });
    return { connection, ended, stop: () => stop.abort() };
  };
  return { clock, client, leading, seen, writes, join };
}

describe('two candidates', () => {
  it('have one leader for as long as it renews (elector-1)', async () => {
    const { clock, leading, seen, join } = election();
    join('first');
    await pass(clock, times.retryMs);
    join('second');
    await pass(clock, 10 * times.leaseMs);
    expect([...leading]).toEqual(['first']);
    expect(seen.mostAtOnce).toBe(1);
  });

  it('change over at once when the leader stops and releases the lease (elector-4)', async () => {
    const { clock, leading, join } = election();
    const first = join('first');
    await pass(clock, times.retryMs);
    join('second');
    await pass(clock, times.leaseMs);
    first.stop();
    await pass(clock, 2 * times.retryMs);
    expect([...leading]).toEqual(['second']);
    expect(first.connection.losses).toBe(0);
  });

  it('change over at once when the leader stops while it renews (elector-4)', async () => {
    const { clock, leading, join } = election();
    const first = join('first');
    await pass(clock, times.retryMs);
    join('second');
    await pass(clock, times.retryMs);
    first.connection.patchAnswerMs = 1_000;
    await pass(clock, times.retryMs + 250);
    first.stop();
    await pass(clock, 1_000 + 2 * times.retryMs);
    expect([...leading]).toEqual(['second']);
  });

  it('change over at once when the leader stops after a late answer about the past (elector-4)', async () => {
    const { clock, leading, join } = election();
    const first = join('first');
    await pass(clock, times.retryMs);
    join('second');
    first.connection.patchAnswerMs = 0.8 * times.renewMs;
    await pass(clock, 500);
    // The attempt is given up after half of the time. The next renewal is answered before this one.
    first.connection.patchAnswerMs = 0;
    await pass(clock, 0.8 * times.renewMs);
    expect([...leading]).toEqual(['first']);
    first.stop();
    await pass(clock, 2 * times.retryMs);
    expect([...leading]).toEqual(['second']);
  });

  it('change over at once when the first has won too late to know, and stops (elector-4)', async () => {
    const { clock, leading, join } = election();
    const first = join('first');
    await pass(clock, times.retryMs);
    const late = join('late');
    late.connection.patchAnswerMs = 0.6 * times.renewMs;
    first.connection.isCut = true;
    first.stop();
    // An attempt is given up after half of the time; it is reported, and not yet repeated.
    await pass(clock, times.leaseMs + 0.6 * times.renewMs + 1_000);
    expect([...leading]).toEqual([]);
    late.connection.patchAnswerMs = 0;
    late.stop();
    join('third');
    await pass(clock, 2 * times.retryMs);
    expect([...leading]).toEqual(['third']);
  });

  it('that ask at the same time have one leader, and neither reports a fault', async () => {
    const { clock, leading, seen, join } = election();
    const candidates = [join('first'), join('second')];
    await pass(clock, times.leaseMs);
    expect(leading.size).toBe(1);
    expect(seen.mostAtOnce).toBe(1);
    expect(candidates.flatMap(({ connection }) => connection.faults)).toEqual([]);
  });

  it('change over no earlier than the leader said that it may be silent', async () => {
    const { clock, leading, join } = election();
    const patient = { leaseMs: 60_000, renewMs: 10_000, retryMs: 2_000 };
    const first = join('first', { times: patient });
    await pass(clock, times.retryMs);
    join('second');
    await pass(clock, times.retryMs);
    first.connection.isCut = true;
    await pass(clock, patient.leaseMs - times.renewMs);
    expect([...leading]).toEqual([]);
    await pass(clock, times.renewMs + 2 * times.retryMs);
    expect([...leading]).toEqual(['second']);
  });

  it('change over for no clock that is set an hour forward or back (elector-1)', async () => {
    const { clock, leading, seen, join } = election();
    const first = join('first');
    await pass(clock, times.retryMs);
    join('second');
    for (const byMs of [3_600_000, -7_200_000]) {
      clock.step(byMs);
      await pass(clock, 2 * times.leaseMs);
      expect([...leading]).toEqual(['first']);
    }
    expect([seen.mostAtOnce, first.connection.losses]).toEqual([1, 0]);
  });
});

describe('the lease', () => {
  const held = (holderIdentity: string, renewTime: string) => ({
    ...{ holderIdentity, leaseDurationSeconds: 15, renewTime },
  });

  it('is written as coordination.k8s.io/v1, and renewed without a word of taking it over', async () => {
    const { clock, writes, join } = election();
    join('only');
    await pass(clock, times.retryMs + 250);
    const first = '1970-01-01T00:00:00.250000Z';
    const spec = { ...held('only', first), acquireTime: first, leaseTransitions: 0 };
    const kind = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
    expect(writes[0]).toEqual(['only', { ...kind, metadata: lease, spec }]);
    const metadata = expect.objectContaining({ resourceVersion: '1' }) as unknown;
    const renewal = { metadata, spec: held('only', '1970-01-01T00:00:02.250000Z') };
    expect(writes.slice(1)).toEqual([['only', renewal]]);
  });

  it('is taken over with the time of that, and counted', async () => {
    const { clock, writes, join } = election();
    const first = join('first');
    await pass(clock, times.retryMs);
    join('second');
    first.stop();
    await pass(clock, 2 * times.retryMs);
    const [, takeover] = writes.find(([identity]) => identity === 'second') ?? [];
    expect(takeover).toMatchObject({ spec: { holderIdentity: 'second', leaseTransitions: 1 } });
    expect(takeover).toHaveProperty('spec.acquireTime');
  });

  it('is released in the end, and nothing is waited for after that (elector-4)', async () => {
    const { clock, writes, join } = election();
    const { ended, stop } = join('only');
    await pass(clock, times.retryMs);
    stop();
    await ended;
    expect(writes.at(-1)).toMatchObject(['only', { spec: { holderIdentity: '' } }]);
    expect(clock.sleepers()).toBe(0);
  });

  it('is released when the work of the leader fails, which ends the election', async () => {
    const { clock, leading, writes, join } = election();
    const failure = Promise.withResolvers<undefined>();
    const { ended } = join('only', { onElected: () => failure.promise });
    await pass(clock, times.retryMs);
    failure.reject(new Error('the work failed'));
    await expect(ended).rejects.toThrow('the work failed');
    expect(writes.at(-1)).toMatchObject(['only', { spec: { holderIdentity: '' } }]);
    expect(clock.sleepers()).toBe(0);
    join('next');
    await pass(clock, times.retryMs);
    expect([...leading]).toEqual(['next']);
  });
});

it('a leader stops at once, and leaves the lease alone, when another holder has it', async () => {
  const { clock, client, leading, writes, join } = election();
  const { connection } = join('only');
  await pass(clock, times.leaseMs);
  const spec = { holderIdentity: 'another', leaseDurationSeconds: 15 };
  await client.patch(resources.Lease, lease, { spec }, { type: 'merge' });
  const before = writes.length;
  await pass(clock, times.retryMs + 250);
  expect([...leading]).toEqual([]);
  expect([connection.losses, writes.length]).toEqual([1, before]);
});

it('writes nothing for an abandoned attempt, and reports why it was abandoned (elector-5)', async () => {
  const { clock, writes, join } = election();
  const faults: string[] = [];
  const { connection, stop } = join('only', { onFault: (error) => faults.push(String(error)) });
  connection.getAnswerMs = 0.6 * times.renewMs;
  await pass(clock, times.renewMs);
  stop();
  await pass(clock, times.renewMs);
  expect(writes).toEqual([]);
  const why = 'no answer from the API server: no answer within 5000 ms';
  expect(new Set(faults)).toEqual(new Set([`MillraceError: renew leases/millrace/bridge: ${why}`]));
});

it('a candidate that cannot reach the server reports why it does not lead', async () => {
  const { clock, leading, join } = election();
  const { connection } = join('only');
  connection.isCut = true;
  await pass(clock, times.retryMs);
  expect([...leading]).toEqual([]);
  expect(new Set(connection.faults)).toEqual(new Set(['retryable']));
});

describe('a leader that cannot reach the server', () => {
  it('stops by itself when the term of its last renewal is over, and is notified (elector-2)', async () => {
    const { clock, leading, join } = election();
    const { connection } = join('only');
    await pass(clock, times.leaseMs);
    connection.isCut = true;
    await pass(clock, times.renewMs - times.retryMs);
    expect([...leading]).toEqual(['only']);
    await pass(clock, 2 * times.retryMs);
    expect([...leading]).toEqual([]);
    expect(connection.losses).toBe(1);
    expect(new Set(connection.faults)).toEqual(new Set(['retryable']));
  });

  it('is followed by another after the duration of the lease, and they never overlap', async () => {
    const { clock, leading, seen, join } = election();
    const first = join('first');
    await pass(clock, times.retryMs);
    join('second');
    await pass(clock, times.leaseMs);
    first.connection.isCut = true;
    await pass(clock, times.leaseMs - times.retryMs);
    expect([...leading]).toEqual([]);
    await pass(clock, 3 * times.retryMs);
    expect([...leading]).toEqual(['second']);
    expect(seen.mostAtOnce).toBe(1);
  });

  it('counts its term from the request, however late the answer came (elector-2)', async () => {
    const { clock, leading, seen, join } = election();
    const first = join('first');
    await pass(clock, times.retryMs);
    join('second');
    await pass(clock, times.retryMs);
    // The server renews at once but answers when much of the term is over.
    const answerMs = 0.45 * times.renewMs;
    first.connection.patchAnswerMs = answerMs;
    await pass(clock, times.retryMs + answerMs);
    first.connection.isCut = true;
    expect([...leading]).toEqual(['first']);
    await pass(clock, times.renewMs - answerMs + 500);
    expect([...leading]).toEqual([]);
    await pass(clock, times.leaseMs);
    expect([...leading]).toEqual(['second']);
    expect(seen.mostAtOnce).toBe(1);
  });

  it('is not taken up when the process stood still for its term after the answer (elector-2)', async () => {
    const { clock, leading, join } = election();
    let stoodStillMs = 0;
    const machine = {
      now: () => clock.now() + stoodStillMs,
      monotonicMs: () => clock.monotonicMs() + stoodStillMs,
      sleep: (...asked: Parameters<typeof clock.sleep>) => clock.sleep(...asked),
    };
    const { client } = createStoredCluster();
    const onElected = vi.fn(() => Promise.resolve());
    const create: typeof client.create = async (...args) => {
      const created = await client.create(...args);
      stoodStillMs += times.renewMs;
      return created;
    };
    const { stop } = join('only', { client: { ...client, create }, clock: machine, onElected });
    await clock.advance(0);
    stop();
    await pass(clock, times.leaseMs);
    expect([...leading]).toEqual([]);
    expect(onElected).not.toHaveBeenCalled();
  });

  it('reports that it could not release the lease, which then runs out by itself', async () => {
    const { clock, leading, join } = election();
    const { connection, stop } = join('only');
    await pass(clock, times.retryMs);
    connection.isCut = true;
    stop();
    await pass(clock, times.retryMs);
    expect([...leading]).toEqual([]);
    expect(connection.faults).toEqual(['retryable']);
  });

  it('leads on when one answer never comes (elector-5)', async () => {
    const { clock, leading, join } = election();
    const { connection } = join('only');
    await pass(clock, times.leaseMs);
    connection.patchAnswerMs = 10 * times.leaseMs;
    await pass(clock, times.retryMs);
    connection.patchAnswerMs = 0;
    await pass(clock, times.leaseMs);
    expect([...leading]).toEqual(['only']);
    expect(connection.losses).toBe(0);
  });

  it('leads again when the server answers before anybody took its place', async () => {
    const { clock, leading, join } = election();
    const { connection } = join('only');
    await pass(clock, times.leaseMs);
    connection.isCut = true;
    await pass(clock, 2 * times.renewMs);
    connection.isCut = false;
    await pass(clock, 2 * times.retryMs);
    expect([...leading]).toEqual(['only']);
  });
});
