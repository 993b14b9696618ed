import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { KubeObject, NewObject, Resource } from '#shared/domain/objects.ts';
import { connect } from '#shared/kube/connection.ts';
import { HttpKubeClient } from '#shared/kube/http-client.ts';
import { ObjectView } from '#shared/kube/object-view.ts';
import type { ReflectorOptions } from '#shared/kube/reflector-options.ts';
import { Reflector } from '#shared/kube/reflector.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { openClient, type ClusterClient } from '#test/support/cluster-client.ts';
import { type ControlPlane, startControlPlane } from '#test/support/control-plane/start.ts';
import { describeChange } from '#test/support/reflector-probe.ts';
import { describeWithCluster } from '#test/support/require.ts';
import { relayTo, type TcpCut } from '#test/support/tcp-cut.ts';

const configMaps: Resource = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};
const patience = { timeout: 60_000, interval: 20 };

describeWithCluster('the reflector on a real API server', () => {
  let plane: ControlPlane;
  let relay: TcpCut;
  let admin: ClusterClient;

  beforeAll(async () => {
    plane = await startControlPlane({ scheduler: false, kwok: false });
    relay = await relayTo(Number(new URL(plane.server).port));
    admin = await openClient(plane.adminKubeconfig, 'reflector-test');
  });
  afterAll(async () => {
    await admin[Symbol.asyncDispose]();
    await relay[Symbol.asyncDispose]();
    await plane.stop();
  });

  /** Each test follows objects with a label of its own. */
  function labelled(suite: string) {
    const meta = (name: string) => ({ namespace: 'default', name: `${suite}-${name}` });
    return {
      create: (name: string, value = '1'): Promise<KubeObject> =>
        admin.client.create(configMaps, {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { ...meta(name), labels: { suite } },
          data: { value },
        } as NewObject),
      change: (name: string, value: string): Promise<KubeObject> =>
        admin.client.patch(configMaps, meta(name), { data: { value } }, { type: 'merge' }),
      remove: async (name: string): Promise<void> => {
        await admin.client.delete(configMaps, meta(name));
      },
    };
  }

  /** Follows the objects of `suite` through the relay, which only the test disconnects. */
  async function follow(suite: string, times: ReflectorOptions['times'] = {}) {
    const ca = await readFile(plane.caFile, 'utf8');
    const connection = await connect({
      server: `https://127.0.0.1:${relay.port}`,
      namespace: 'default',
      describe: 'relayed',
      read: async () => ({
        tls: { ca },
        headers: { authorization: `Bearer ${plane.adminToken}` },
      }),
    });
    const view = new ObjectView();
    const delivered: string[] = [];
    const reflector = new Reflector({
      client: new HttpKubeClient({ connection, userAgent: 'millrace/test (reflector)' }),
      resource: configMaps,
      namespace: 'default',
      labelSelector: `suite=${suite}`,
      view,
      clock: systemClock,
      random: Math.random,
      deliver: async (changes) => void delivered.push(...changes.map(describeChange)),
      times: { reconnect: { initialMs: 100, factor: 2, capMs: 1_000 }, ...times },
    });
    const stop = new AbortController();
    const running = reflector.run(stop.signal);
    onTestFinished(async () => {
      relay.mend();
      stop.abort();
      await running;
      await connection.close();
    });
    await expect.poll(() => reflector.stats.state, patience).toBe('watching');
    return { reflector, view, delivered };
  }

  const wordsOf = (type: string, { metadata }: KubeObject): string =>
    `${type} ${metadata.name}@${metadata.resourceVersion}`;
  const freshName = (prefix: string): string => `${prefix}-${randomUUID().slice(0, 8)}`;

  it('delivers each version that was written, in order', async () => {
    const suite = freshName('order');
    const { create, change, remove } = labelled(suite);
    const first = await create('a');
    const { delivered, view } = await follow(suite);
    const second = await change('a', '2');
    const third = await change('a', '3');
    await remove('a');
    await expect.poll(() => delivered.length, patience).toBe(4);
    expect(delivered.slice(0, 3)).toEqual([first, second, third].map((v) => wordsOf('changed', v)));
    expect(delivered[3]).toMatch(/^deleted /);
    expect(view.size).toBe(0);
  });

  it('lists more than one page without losing or repeating an object', async () => {
    const suite = freshName('pages');
    const { create } = labelled(suite);
    const names = Array.from({ length: 23 }, (_, index) => String(index));
    const created = await Promise.all(names.map((name) => create(name)));
    const { delivered } = await follow(suite, { pageLimit: 5 });
    expect([...delivered].sort()).toEqual(created.map((v) => wordsOf('changed', v)).sort());
  });

  it('loses nothing when kube-apiserver is killed and started again', async () => {
    const suite = freshName('kill');
    const { create, change, remove } = labelled(suite);
    await create('stays');
    await create('goes');
    const { reflector, delivered, view } = await follow(suite);
    await plane.kill('kube-apiserver');
    await expect.poll(() => reflector.stats.state, patience).toBe('stale');
    expect(view.size).toBe(2);
    await plane.startComponent('kube-apiserver');
    const changed = await change('stays', '2');
    await remove('goes');
    await expect.poll(() => view.get('default', `${suite}-goes`), patience).toBeUndefined();
    await expect.poll(() => delivered, patience).toContain(wordsOf('changed', changed));
    await expect.poll(() => reflector.stats.state, patience).toBe('watching');
  });

  it('shows an object deleted and created anew while it was cut off as gone and then changed', async () => {
    const suite = freshName('recreate');
    const { create, remove } = labelled(suite);
    const first = await create('a');
    const { delivered, view } = await follow(suite);
    relay.cut();
    await remove('a');
    const second = await create('a');
    await restartWithCompaction();
    relay.mend();
    await expect.poll(() => delivered, patience).toContain(wordsOf('changed', second));
    expect(delivered).toEqual([
      wordsOf('changed', first),
      wordsOf('gone', first),
      wordsOf('changed', second),
    ]);
    expect(view.get('default', `${suite}-a`)?.metadata.uid).toBe(second.metadata.uid);
  });

  it('lists anew when etcd was compacted under its watch, and reports the difference', async () => {
    const suite = freshName('compact');
    const { create, change, remove } = labelled(suite);
    await create('stays');
    const lost = await create('goes');
    const { reflector, delivered } = await follow(suite);
    relay.cut();
    await change('stays', '2');
    const last = await change('stays', '3');
    await remove('goes');
    await restartWithCompaction();
    relay.mend();
    await expect.poll(() => reflector.stats.lists, patience).toBe(2);
    await expect
      .poll(() => delivered.slice(2), patience)
      .toEqual([wordsOf('gone', lost), wordsOf('changed', last)]);
  });

  it('notices a connection that passes no byte any more, and goes on over another one', async () => {
    const suite = freshName('frozen');
    const { create } = labelled(suite);
    const { delivered, reflector } = await follow(suite, { silenceMs: 1_500 });
    relay.freeze();
    const created = await create('a');
    await expect.poll(() => reflector.stats.state, patience).toBe('stale');
    expect(delivered).toEqual([]);
    relay.mend();
    await expect.poll(() => delivered, patience).toEqual([wordsOf('changed', created)]);
  });

  it('goes on after kube-apiserver stood still', async () => {
    const suite = freshName('stopped');
    const { create, change } = labelled(suite);
    await create('a');
    const { delivered, reflector } = await follow(suite, { silenceMs: 1_500 });
    const pid = plane.pidOf('kube-apiserver')!;
    process.kill(pid, 'SIGSTOP');
    await expect.poll(() => reflector.stats.state, patience).toBe('stale');
    process.kill(pid, 'SIGCONT');
    const changed = await change('a', '2');
    await expect.poll(() => delivered, patience).toContain(wordsOf('changed', changed));
  });

  /**
   * Removes the history that a watch needs: etcd forgets it by compaction, and the API server,
   * which has a cache of its own, by a restart.
   */
  async function restartWithCompaction(): Promise<void> {
    const newest = await createAnother();
    const arguments_ = await readFile(`/proc/${plane.pidOf('etcd')!}/cmdline`, 'utf8');
    const [, etcd] = /--listen-client-urls=([^\0]+)/.exec(arguments_)!;
    const answer = await fetch(`${etcd!}/v3/kv/compaction`, {
      method: 'POST',
      body: JSON.stringify({ revision: newest.metadata.resourceVersion, physical: true }),
    });
    expect(answer.status).toBe(200);
    await plane.restart('kube-apiserver', 'SIGKILL');
  }

  function createAnother(): Promise<KubeObject> {
    return labelled(freshName('other')).create('x');
  }
});
