/**
 * AppWrappers in a queue of a real Kueue, while one part after the other is taken away and comes back. Each part is a
 * process of its own, so that a kill leaves only what was written.
 */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import {
  apiServerKilled,
  killOf,
  type PartFault,
  type Parts,
  redisFlushed,
  strike,
} from '#test/support/chaos/part-faults.ts';
import { kueueKilled, startQueuedProduct } from '#test/support/chaos/queued-product.ts';
import { WrapperBatch } from '#test/support/chaos/wrapper-batch.ts';
import { kubectlOrThrow } from '#test/support/control-plane/kubectl.ts';
import type { ClusterApi } from '#test/support/flows/cluster-api.ts';
import { clusterQueue, localQueue, resourceFlavor } from '#test/support/kueue/queues.ts';
import type { Kueue } from '#test/support/kueue/start.ts';
import { describeWithCluster } from '#test/support/require.ts';

const wrapperCount = 30;
const namespace = 'wrapper-recovery';
const patienceMs = 120_000;

describeWithCluster(`${wrapperCount} AppWrappers in a queue`, () => {
  const stack = new AsyncDisposableStack();
  let parts: Parts;
  let api: ClusterApi;
  let kueue: Kueue;
  let batch: WrapperBatch;

  beforeAll(async () => {
    ({ parts, api, kueue } = await startQueuedProduct(stack));
  });
  afterAll(() => stack.disposeAsync());

  const apply = (items: readonly object[], ...args: readonly string[]): Promise<string> =>
    kubectlOrThrow(parts.cluster.kubectl, ['apply', '--server-side', '-f', '-', ...args], {
      input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
    });

  const faults: readonly PartFault[] = [
    ...['bridge', 'dispatcher', 'appwrapper-lifecycle', 'kueue-workload-sync'].map(killOf),
    redisFlushed,
    kueueKilled(() => kueue),
    apiServerKilled,
  ];

  it(
    'create each of their resources once and succeed, whatever is taken away meanwhile',
    { timeout: 3 * patienceMs },
    async () => {
      const { kubectl, auditLog } = parts.cluster;
      // Each requests two CPUs, so three fit at once.
      await apply([resourceFlavor('default'), clusterQueue('team', { default: '6' })]);
      batch = await WrapperBatch.apply({ api, kubectl, namespace }, wrapperCount);
      await apply([localQueue('main', 'team')], '-n', namespace);
      for (const [index, fault] of faults.entries()) {
        const done = await batch.untilDone((index + 1) / (faults.length + 2), patienceMs);
        expect(done, `the share that was done before ${fault.name}`).toBeLessThan(1);
        await strike(fault, parts);
      }
      await batch.untilDone(1, patienceMs);
      await vi.waitFor(async () => expect(await batch.faults(auditLog)).toEqual([]));
      expect(parts.product.ended()).toEqual([]);
    },
  );

  it('give all of their quota back, and leave nothing when they are deleted', async () => {
    await vi.waitFor(async () => expect(await batch.reserved('team')).toBe('0'));
    await batch.delete();
    await vi.waitFor(async () => expect(await batch.components()).toEqual([]));
    await vi.waitFor(async () => expect((await api.list('Workload', namespace)).items).toEqual([]));
  });
});
