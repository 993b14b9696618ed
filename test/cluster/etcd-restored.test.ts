import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { ObjectView } from '#shared/kube/object-view.ts';
import { Reflector } from '#shared/kube/reflector.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { type ClusterClient, openClient } from '#test/support/cluster-client.ts';
import { type ControlPlane, startControlPlane } from '#test/support/control-plane/start.ts';
import { describeChange } from '#test/support/reflector-probe.ts';
import { describeWithCluster } from '#test/support/require.ts';

const configMaps = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
} as const;
const patience = { timeout: 120_000, interval: 50 };
const label = 'suite=restored';

describeWithCluster('an etcd that is restored from a backup', () => {
  let plane: ControlPlane;
  let admin: ClusterClient;

  beforeAll(async () => {
    plane = await startControlPlane({ scheduler: false, kwok: false });
    admin = await openClient(plane.adminKubeconfig, 'restore-test');
  });
  afterAll(async () => {
    await admin[Symbol.asyncDispose]();
    await plane.stop();
  });

  const data = () => join(plane.folder, 'etcd');
  const backup = () => join(plane.folder, 'etcd-backup');

  /**
   * API server and etcd are stopped while the data is replaced, as etcd's restore guide requires.
   */
  async function withoutServers(exchange: () => Promise<void>): Promise<void> {
    await plane.kill('kube-apiserver');
    await plane.kill('etcd', 'SIGTERM');
    await exchange();
    await plane.startComponent('etcd');
    await plane.startComponent('kube-apiserver');
  }

  const create = (name: string) =>
    admin.client.create(configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'default', name, labels: { suite: 'restored' } },
    });
  const change = (name: string, value: string) =>
    admin.client.patch(
      configMaps,
      { namespace: 'default', name },
      { data: { value } },
      { type: 'merge' },
    );

  async function follow() {
    const view = new ObjectView();
    const delivered: string[] = [];
    const reflector = new Reflector({
      client: admin.client,
      resource: configMaps,
      namespace: 'default',
      labelSelector: label,
      view,
      clock: systemClock,
      random: Math.random,
      deliver: async (changes) => void delivered.push(...changes.map(describeChange)),
      times: {
        reconnect: { initialMs: 100, factor: 2, capMs: 1_000 },
        relistMs: 10_000,
        history: { refusals: 5, risingMs: 4_000, standingMs: 20_000 },
      },
    });
    const stop = new AbortController();
    const running = reflector.run(stop.signal);
    onTestFinished(async () => {
      stop.abort();
      await running;
    });
    await expect.poll(() => reflector.stats.state, patience).toBe('watching');
    return { reflector, view, delivered };
  }

  it('is followed from the backup on: what came after it is gone, what it holds is reported anew', async () => {
    const kept = await create('kept');
    await withoutServers(() => cp(data(), backup(), { recursive: true }));
    const { reflector, view, delivered } = await follow();
    const changed = await change('kept', 'after the backup');
    for (let index = 0; index < 300; index += 1) await change('kept', String(index));
    const lost = await create('lost');
    await expect.poll(() => delivered.at(-1), patience).toBe(wordsOf('changed', lost));
    expect(delivered).toContain(wordsOf('changed', changed));

    await withoutServers(async () => {
      await rm(data(), { recursive: true });
      await cp(backup(), data(), { recursive: true });
    });
    await expect.poll(() => reflector.stats.startedOver, patience).toBe(1);
    await expect
      .poll(() => delivered.slice(-2), patience)
      .toEqual([wordsOf('gone', lost), wordsOf('changed', kept)]);
    expect(view.get('default', 'lost')).toBeUndefined();
    expect(view.get('default', 'kept')?.metadata.resourceVersion).toBe(
      kept.metadata.resourceVersion,
    );
    const again = await change('kept', 'after the restore');
    await expect.poll(() => delivered.at(-1), patience).toBe(wordsOf('changed', again));
  });
});

function wordsOf(
  type: string,
  { metadata }: { readonly metadata: { readonly name: string; readonly resourceVersion: string } },
): string {
  return `${type} ${metadata.name}@${metadata.resourceVersion}`;
}
