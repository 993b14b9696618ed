/** Leadership, lag and deletions, checked without waiting in real time. */
import { describe, expect, it } from 'vitest';
import { subscriptions } from '#functions/list.ts';
import { MillraceError } from '#shared/domain/errors.ts';
import type { Resource } from '#shared/domain/objects.ts';
import { rfc3339Micro } from '#shared/domain/time.ts';
import { createStoredCluster } from '#shared/runtime/testing/stored-cluster.ts';
import type { Finding, Patient } from './examination.ts';
import { examineWork } from './work.ts';

const nowMs = Date.parse('2026-03-01T12:00:00Z');
const lease = (holderIdentity: string, renewedMs: number) => ({
  ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
  metadata: { name: 'millrace-bridge', namespace: 'millrace' },
  spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: rfc3339Micro(renewedMs) },
});
const leases: Resource = {
  ...{ group: 'coordination.k8s.io', version: 'v1', plural: 'leases', kind: 'Lease' },
  namespaced: true,
};
const named = { namespace: 'millrace', name: 'millrace-bridge' };
const depths = (waiting: number, running: number) =>
  subscriptions.map(({ name }, index) => ({
    ...{ function: name, parked: [] },
    depth: { waiting: index === 0 ? waiting : 0, running, delayed: 0, parked: 0 },
  }));

async function examined(
  cluster: ReturnType<typeof createStoredCluster>,
  parts: Partial<Patient> = {},
): Promise<ReadonlyMap<string, Finding>> {
  const patient = {
    cluster: { kubectl: 'kubectl', options: '' },
    client: cluster.client,
    ...{ way: 'pods', namespace: 'millrace', nowMs: () => nowMs, aheadMs: () => 0 },
    queue: () => Promise.resolve(depths(0, 0)),
    sleep: () => Promise.resolve(),
    ...parts,
  } as unknown as Patient;
  return new Map((await examineWork(patient)).map((finding) => [finding.about, finding]));
}

describe('the leader', () => {
  const leaderOf = async (
    holder: string,
    stampedMs: number,
    renewedMs?: number,
  ): Promise<Finding | undefined> => {
    const cluster = createStoredCluster();
    await cluster.client.create(leases, lease(holder, stampedMs));
    const sleep = async (): Promise<void> => {
      if (renewedMs === undefined) return;
      const { spec } = lease(holder, renewedMs);
      await cluster.client.patch(leases, named, { spec }, { type: 'merge' });
    };
    return (await examined(cluster, { sleep })).get('leader of the bridge');
  };

  it('is well when it has renewed within seconds', async () => {
    expect(await leaderOf('a', nowMs - 2_000)).toMatchObject({ verdict: 'ok', detail: 'a' });
  });

  it('is gone when its Lease stays as it is, whatever its stamp says', async () => {
    for (const stampedMs of [nowMs - 60_000, nowMs + 60_000]) {
      expect(await leaderOf('a', stampedMs)).toMatchObject({
        verdict: 'fail',
        detail: 'a does not renew its Lease any more',
      });
    }
  });

  it('has a clock that is off when it renews with a stamp of another time', async () => {
    const found = await leaderOf('a', nowMs + 60_000, nowMs + 62_000);
    expect(found).toMatchObject({
      verdict: 'warn',
      detail: 'a leads; the clock of its machine is 62 s ahead of the API server',
    });
  });

  it('has left when the Lease names no holder', async () => {
    expect(await leaderOf('', nowMs)).toMatchObject({ verdict: 'fail' });
  });
});

describe('the queue', () => {
  const lagOf = async (first: [number, number], second: [number, number]) => {
    const looks = [depths(...first), depths(...second)];
    const queue = () => Promise.resolve(looks.shift());
    return (await examined(createStoredCluster(), { queue })).get('queue')?.verdict;
  };

  it('is well while a worker takes waiting items', async () => {
    expect(await lagOf([3, 1], [3, 1])).toBe('ok');
    expect(await lagOf([3, 0], [2, 0])).toBe('ok');
    expect(await lagOf([3, 0], [3, 1])).toBe('ok');
  });

  it('fails while the Redis of a `millrace up` does not answer', async () => {
    const away = new MillraceError('MR_QUEUE_UNAVAILABLE', {
      address: 'redis:6379',
      detail: 'gone',
    });
    const parts: Partial<Patient> = { way: 'up', queue: () => Promise.reject(away) };
    expect((await examined(createStoredCluster(), parts)).get('queue')).toMatchObject({
      verdict: 'fail',
      detail: 'Redis at redis:6379 does not answer: gone',
      next: away.next,
    });
  });

  it('is not served when as much waits two seconds later and nothing runs', async () => {
    expect(await lagOf([3, 0], [3, 0])).toBe('fail');
  });
});

describe('a deletion', () => {
  const deletedFor = async (ms: number, way: Patient['way'], finalizer: string) => {
    const metadata = {
      ...{ name: 'hello', namespace: 'default', finalizers: [finalizer] },
      deletionTimestamp: new Date(nowMs - ms).toISOString(),
    };
    const flow = { apiVersion: 'api.practice.com/v1alpha1', kind: 'JobFlow', metadata };
    const list = ({ kind }: Resource) =>
      Promise.resolve({ items: kind === flow.kind ? [flow] : [], resourceVersion: '1' });
    const { client } = createStoredCluster();
    const findings = await examined(createStoredCluster(), {
      way,
      client: { ...client, list: list as never },
    });
    return findings.get('jobflows.api.practice.com/hello of default')?.detail;
  };

  it('is held up after five minutes, by the owner of a finalizer', async () => {
    expect(await deletedFor(299_000, 'run', 'example.com/slow')).toBeUndefined();
    expect(await deletedFor(301_000, 'run', 'example.com/slow')).toBe(
      'was deleted and is still held by example.com/slow after 5 minutes',
    );
  });

  it('is held up at once where no process can remove the finalizer of Millrace', async () => {
    expect(await deletedFor(1_000, 'run', 'api.practice.com/own')).toBeUndefined();
    expect(await deletedFor(1_000, 'absent', 'api.practice.com/own')).toMatch(
      /no Millrace is at work/,
    );
  });
});
