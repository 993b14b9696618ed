import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { MillraceError } from '#shared/domain/errors.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { type ElectionOptions, runElected } from '#shared/kube/lease-elector.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { type ClusterClient, freshNamespace, openClient } from '#test/support/cluster-client.ts';
import { describeWithCluster } from '#test/support/require.ts';

const times = { leaseMs: 3_000, renewMs: 2_200, retryMs: 150 };
/** A leader that stalls for seconds keeps its term, and no lease runs out while a test counts attempts. */
const patientTimes = { leaseMs: 60_000, renewMs: 45_000, retryMs: 150 };
/** Longer than a test waits, so that nothing here depends on the expiry of a lease. */
const longLease = { ...times, leaseMs: 60_000 };
const patience = { timeout: 45_000, interval: 10 };

/** A candidate, with its terms as it sees them itself. */
interface Candidate {
  readonly name: string;
  readonly leads: () => boolean;
  readonly terms: () => number;
  readonly losses: () => number;
  /** Reads of the lease, one for each attempt to take or renew it. */
  readonly attempts: () => number;
  readonly renewals: () => number;
  /** SIGTERM: ends the work, then releases the lease. */
  readonly stop: () => Promise<void>;
  /** SIGKILL: no request of it reaches the server any more. */
  readonly crash: () => void;
}

describeWithCluster('leader election', (cluster) => {
  let admin: ClusterClient;
  let namespace: string;
  let running: Candidate[] = [];
  /** The number of leaders after each change. */
  let leaders: number[] = [];

  beforeAll(async () => {
    admin = await openClient(cluster.kubeconfig, 'lease-election-test');
  });
  beforeEach(async () => {
    namespace = await freshNamespace(admin.client, 'lease');
    leaders = [];
  });
  afterEach(async () => {
    await Promise.all(running.map((candidate) => candidate.stop()));
    running = [];
  });
  afterAll(() => admin[Symbol.asyncDispose]());

  const holder = async (): Promise<unknown> => {
    const lease = await admin.client.get(resources.Lease, { namespace, name: 'bridge' });
    return (lease?.spec as { holderIdentity?: string } | undefined)?.holderIdentity;
  };

  function join(name: string, changes: Partial<ElectionOptions> = {}): Candidate {
    const controller = new AbortController();
    const connection = new BreakableClient(admin.client);
    let terms = 0;
    let losses = 0;
    let leads = false;
    const lead = (now: boolean): void => {
      leads = now;
      leaders.push(running.filter((candidate) => candidate.leads()).length);
    };
    const ended = runElected({
      client: connection,
      lease: { namespace, name: 'bridge' },
      identity: name,
      clock: systemClock,
      random: Math.random,
      times,
      onElected: async (signal) => {
        terms += 1;
        lead(true);
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        lead(false);
      },
      onLost: () => (losses += 1),
      signal: controller.signal,
      ...changes,
    });
    const candidate: Candidate = {
      name,
      leads: () => leads,
      terms: () => terms,
      losses: () => losses,
      attempts: () => connection.reads,
      renewals: () => connection.patches,
      stop: () => {
        controller.abort();
        return ended;
      },
      crash: () => {
        connection.broken = true;
        controller.abort();
      },
    };
    running.push(candidate);
    return candidate;
  }

  /** Waits until each of them has tried ten more times to take or renew the lease. */
  async function moreAttempts(candidates: readonly Candidate[]): Promise<void> {
    const enough = candidates.map((each) => each.attempts() + 10);
    const haveTried = () => candidates.every((each, n) => each.attempts() >= (enough[n] ?? 0));
    await expect.poll(haveTried, patience).toBe(true);
  }

  it('lets one of several candidates lead, and records who', async () => {
    const candidates = ['a', 'b', 'c'].map((name) => join(name, { times: patientTimes }));
    await expect.poll(() => candidates.filter((each) => each.leads()).length, patience).toBe(1);
    await moreAttempts(candidates);
    const [leader] = candidates.filter((each) => each.leads());
    expect(await holder()).toBe(leader?.name);
    expect(leader?.renewals()).toBeGreaterThan(5);
    expect(candidates.map((each) => each.terms()).sort()).toEqual([0, 0, 1]);
    expect(Math.max(...leaders)).toBe(1);
  });

  it('hands over at once when the leader stops, since it releases the lease', async () => {
    const first = join('a', { times: longLease });
    await expect.poll(first.leads, patience).toBe(true);
    const second = join('b', { times: longLease });
    await first.stop();
    await expect.poll(second.leads, patience).toBe(true);
    expect(first.losses()).toBe(0);
  });

  it('is taken over from a crashed leader after the lease has run out, not before', async () => {
    const client = new BreakableClient(admin.client);
    const first = join('a', { client });
    await expect.poll(first.leads, patience).toBe(true);
    const second = join('b');
    await new Promise((resolve) => setTimeout(resolve, 500));
    client.broken = true;
    first.crash();
    await expect.poll(second.leads, patience).toBe(true);
    // A timer may fire a moment early.
    expect(performance.now() - client.lastPatchMs).toBeGreaterThan(times.leaseMs - 20);
  });

  it('never has two leaders: one that is cut off stops before another begins', async () => {
    const cutOff = new BreakableClient(admin.client);
    const first = join('a', { client: cutOff });
    await expect.poll(first.leads, patience).toBe(true);
    const second = join('b');
    cutOff.broken = true;
    await expect.poll(second.leads, patience).toBe(true);
    expect(first.leads()).toBe(false);
    expect(first.losses()).toBe(1);
    expect(Math.max(...leaders)).toBe(1);
    cutOff.broken = false;
    await second.stop();
    await expect.poll(first.terms, patience).toBe(2);
  });

  it('ends a term in time also when requests hang', async () => {
    const hanging = new BreakableClient(admin.client);
    const first = join('a', { client: hanging, times: longLease });
    await expect.poll(first.leads, patience).toBe(true);
    hanging.hanging = true;
    // Long before another candidate may lead.
    await expect.poll(first.leads, patience).toBe(false);
    hanging.hanging = false;
  });

  it('is not moved by clocks that are an hour off or jump', async () => {
    let offsetMs = 3_600_000;
    const skewed = { ...systemClock, now: () => Date.now() + offsetMs };
    const first = join('a', { clock: skewed, times: patientTimes });
    await expect.poll(first.leads, patience).toBe(true);
    const behind = { ...systemClock, now: () => Date.now() - offsetMs };
    const second = join('b', { clock: behind, times: patientTimes });
    await moreAttempts([first, second]);
    offsetMs = -3_600_000;
    await moreAttempts([first, second]);
    expect(first.renewals()).toBeGreaterThan(10);
    expect([first.terms(), first.losses(), second.terms()]).toEqual([1, 0, 0]);
  });

  it('waits for the work of a lost term before it begins another', async () => {
    let finish: () => void = () => undefined;
    let terms = 0;
    const client = new BreakableClient(admin.client);
    const first = join('a', {
      client,
      onElected: () => {
        terms += 1;
        return new Promise((resolve) => (finish = resolve));
      },
    });
    await expect.poll(() => terms, patience).toBe(1);
    client.broken = true;
    await expect.poll(first.losses, patience).toBe(1);
    client.broken = false;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(terms).toBe(1);
    finish();
    await expect.poll(() => terms, patience).toBe(2);
    finish();
  });

  it('ends with the failure of the work, and releases', async () => {
    const failed = runElected({
      client: admin.client,
      lease: { namespace, name: 'bridge' },
      identity: 'a',
      clock: systemClock,
      random: Math.random,
      times,
      onElected: () => Promise.reject(new Error('work failed')),
      signal: new AbortController().signal,
    });
    await expect(failed).rejects.toThrow('work failed');
    expect(await holder()).toBe('');
  });
});

/** The path to the server, which a test can cut or block. */
class BreakableClient implements Pick<KubeClient, 'get' | 'create' | 'patch'> {
  broken = false;
  hanging = false;
  reads = 0;
  /** Patches that succeeded. */
  patches = 0;
  /** When the last patch that succeeded was sent, by the monotonic clock. */
  lastPatchMs = 0;
  readonly #client: KubeClient;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  readonly get: KubeClient['get'] = async (...args) => {
    this.reads += 1;
    await this.#pass();
    return this.#client.get(...args);
  };

  readonly create: KubeClient['create'] = async (...args) => {
    await this.#pass();
    return this.#client.create(...args);
  };

  readonly patch: KubeClient['patch'] = async (...args) => {
    await this.#pass();
    const sentMs = performance.now();
    const patched = await this.#client.patch(...args);
    this.lastPatchMs = sentMs;
    this.patches += 1;
    return patched;
  };

  async #pass(): Promise<void> {
    while (this.hanging) await new Promise((resolve) => setTimeout(resolve, 20));
    const label = { verb: 'any', path: '/', detail: 'cut on purpose' };
    if (this.broken) throw new MillraceError('MR_API_UNREACHABLE', label);
  }
}
