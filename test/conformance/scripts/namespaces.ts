/** Namespaces: missing ones, terminating ones, and their labels. */
import { setTimeout as sleep } from 'node:timers/promises';
import { family } from '../harness/script.ts';
import type { Manifest, Session } from '../harness/session.ts';
import { configMap, secret } from './samples.ts';

const namespace = (name: string, more = {}): Manifest => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, ...more },
});

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

/**
 * Returns as soon as there are some. kube-controller-manager returns to a namespace only after
 * seconds.
 */
async function conditionsOf(s: Session, name: string): Promise<readonly string[]> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const { body } = await s.aside('GET', s.path('Namespace', name));
    const { conditions = [] } = body.status as { conditions?: readonly Condition[] };
    if (conditions.length > 0) {
      return conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`);
    }
    if (performance.now() > deadline) throw new Error(`${name} tells no conditions`);
    await sleep(100);
  }
}

export const namespaceScripts = family('namespaces', {
  'nothing is created in a namespace that does not exist': async (s) => {
    const elsewhere = { namespace: s.own('none') };
    await s.create(configMap('a'), elsewhere);
    await s.create(configMap('a'), { ...elsewhere, query: { dryRun: 'All' } });
    await s.apply(configMap('a'), 'one', elsewhere);
  },
  'reads in a namespace that does not exist': async (s) => {
    const elsewhere = { namespace: s.own('none') };
    await s.read('ConfigMap', 'a', elsewhere);
    await s.list('ConfigMap', {}, elsewhere);
    await s.deleteAll('ConfigMap', {}, elsewhere);
  },
  'a new namespace is active and labelled': async (s) => {
    const name = s.own('fresh');
    await s.create(namespace(name, { labels: { mine: 'yes' } }));
    await s.create(namespace(name));
    await s.patch('Namespace', name, 'merge', { metadata: { labels: { mine: null } } });
    await s.patch('Namespace', name, 'merge', {
      metadata: { labels: { 'kubernetes.io/metadata.name': 'other' } },
    });
    await s.delete('Namespace', name);
  },
  'a deleted namespace takes all with it': async (s) => {
    const name = s.own('gone');
    await s.create(namespace(name));
    await s.create(configMap('a'), { namespace: name });
    await s.create(secret('b'), { namespace: name });
    await s.delete('Namespace', name);
    await s.untilGone('Namespace', name);
    await s.read('ConfigMap', 'a', { namespace: name });
    await s.read('Namespace', name);
  },
  'a terminating namespace takes nothing new': async (s) => {
    const name = s.own('leaving');
    await s.create(namespace(name));
    await s.create(configMap('held', {}, { finalizers: ['x.test/held'] }), { namespace: name });
    await s.delete('Namespace', name);
    await s.until(
      'Namespace',
      name,
      (it) => (it?.status as { phase: string }).phase === 'Terminating',
    );
    await s.create(configMap('late'), { namespace: name });
    await s.until('ConfigMap', 'held', (it) => it?.metadata['deletionTimestamp'] !== undefined, {
      namespace: name,
    });
    s.note('conditions', await conditionsOf(s, name));
    await s.delete('Namespace', name);
    await s.patch(
      'ConfigMap',
      'held',
      'merge',
      { metadata: { finalizers: null } },
      { namespace: name },
    );
    await s.untilGone('Namespace', name);
  },
  'a namespace has its own finalizer in its spec': async (s) => {
    const name = s.own('kept');
    await s.create({ ...namespace(name), spec: { finalizers: ['x.test/mine', 'kubernetes'] } });
    await s.delete('Namespace', name);
    await s.until('Namespace', name, (it) => {
      const { finalizers } = it!.spec as { finalizers: string[] };
      return finalizers.length === 1;
    });
    await s.call('PUT', s.path('Namespace', name, { sub: 'finalize' }), {
      body: { ...namespace(name), spec: { finalizers: [] } },
    });
    await s.untilGone('Namespace', name);
  },
  'some namespaces are always there': async (s) => {
    for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease']) {
      const { code, body } = await s.aside('GET', s.path('Namespace', name));
      s.note(name, [code, body.status, body.spec, body.metadata.labels]);
    }
    await s.delete('Namespace', 'default');
    await s.delete('Namespace', 'kube-system');
  },
  'namespaces have no deletecollection': async (s) => {
    await s.deleteAll('Namespace', { labelSelector: 'nobody=has-this' });
  },
});
