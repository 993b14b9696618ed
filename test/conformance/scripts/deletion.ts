/** Deletion: finalizers, propagation, garbage collection, collections. */
import { family } from '../harness/script.ts';
import type { Seen, Session } from '../harness/session.ts';
import { configMap, lease, pod, restingJob, secret } from './samples.ts';

const held = { finalizers: ['x.test/held'] };
const release = { metadata: { finalizers: null } };

function ownedBy(owner: Seen, more: Record<string, boolean> = {}) {
  const { apiVersion, kind, metadata } = owner;
  return {
    ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid, ...more }],
  };
}

/** An owner and its dependent. */
async function ownerAndOwned(s: Session, metadata = {}, more = {}): Promise<void> {
  const { body } = await s.create(secret('owner', metadata));
  await s.create(configMap('owned', {}, ownedBy(body, more)));
}

/** Waits until the real garbage collector has seen both. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 300));

export const deletionScripts = family('deletion', {
  'a delete answers with a Status': async (s) => {
    await s.create(configMap('a'));
    await s.delete('ConfigMap', 'a');
    await s.delete('ConfigMap', 'a');
  },
  'a finalizer holds an object': async (s) => {
    await s.create(configMap('a', {}, held));
    await s.delete('ConfigMap', 'a');
    await s.read('ConfigMap', 'a');
    await s.patch('ConfigMap', 'a', 'merge', release);
    await s.read('ConfigMap', 'a');
  },
  'a second delete of a held object changes nothing': async (s) => {
    await s.create(configMap('a', {}, held));
    const first = await s.delete('ConfigMap', 'a');
    const second = await s.delete('ConfigMap', 'a');
    s.note('same', first.body.metadata.resourceVersion === second.body.metadata.resourceVersion);
    await s.patch('ConfigMap', 'a', 'merge', release);
  },
  'no finalizer joins an object on its way out': async (s) => {
    await s.create(configMap('a', {}, held));
    await s.delete('ConfigMap', 'a');
    const finalizers = ['x.test/held', 'x.test/new'];
    await s.patch('ConfigMap', 'a', 'merge', { metadata: { finalizers } });
    await s.patch('ConfigMap', 'a', 'merge', { data: { still: 'changes' } });
    await s.patch('ConfigMap', 'a', 'merge', release);
  },
  'an update that takes the last finalizer ends the object': async (s) => {
    await s.create(configMap('a', {}, held));
    await s.delete('ConfigMap', 'a');
    await s.update(configMap('a'));
    await s.read('ConfigMap', 'a');
  },
  'one of two finalizers still holds': async (s) => {
    await s.create(configMap('a', {}, { finalizers: ['x.test/a', 'x.test/b'] }));
    await s.delete('ConfigMap', 'a');
    await s.patch('ConfigMap', 'a', 'merge', { metadata: { finalizers: ['x.test/b'] } });
    await s.patch('ConfigMap', 'a', 'merge', { metadata: { finalizers: [] } });
    await s.read('ConfigMap', 'a');
  },
  'a finalizer has a name with a domain': async (s) => {
    await s.create(configMap('a', {}, { finalizers: ['plain'] }));
    await s.create(configMap('b', {}, { finalizers: ['Not OK/x'] }));
    await s.create(configMap('c', {}, { finalizers: [''] }));
  },
  'a held name cannot be taken': async (s) => {
    await s.create(configMap('a', {}, held));
    await s.delete('ConfigMap', 'a');
    await s.create(configMap('a'));
    await s.patch('ConfigMap', 'a', 'merge', release);
    await s.create(configMap('a'));
  },
  'a new object of an old name has a new uid': async (s) => {
    await s.create(configMap('a'));
    await s.delete('ConfigMap', 'a');
    await s.create(configMap('a'));
  },
  'background deletion takes what is owned afterwards': async (s) => {
    await ownerAndOwned(s);
    await settle();
    await s.delete('Secret', 'owner', { query: { propagationPolicy: 'Background' } });
    await s.untilGone('ConfigMap', 'owned');
    await s.read('ConfigMap', 'owned');
  },
  'orphans stay without their owner': async (s) => {
    await ownerAndOwned(s);
    await settle();
    await s.delete('Secret', 'owner', { query: { propagationPolicy: 'Orphan' } });
    await s.untilGone('Secret', 'owner');
    await s.until('ConfigMap', 'owned', (it) => it?.metadata['ownerReferences'] === undefined);
    const { body } = await s.aside('GET', s.path('ConfigMap', 'owned'));
    s.note('references', body.metadata['ownerReferences'] ?? 'none');
  },
  'foreground deletion waits for what blocks it': async (s) => {
    await ownerAndOwned(s, {}, { blockOwnerDeletion: true });
    await s.patch('ConfigMap', 'owned', 'merge', { metadata: held });
    await settle();
    await s.delete('Secret', 'owner', { query: { propagationPolicy: 'Foreground' } });
    await s.until('ConfigMap', 'owned', (it) => it?.metadata['deletionTimestamp'] !== undefined);
    await s.read('Secret', 'owner');
    await s.patch('ConfigMap', 'owned', 'merge', release);
    await s.untilGone('Secret', 'owner');
    await s.read('ConfigMap', 'owned');
  },
  'foreground deletion does not wait for what does not block it': async (s) => {
    await ownerAndOwned(s);
    await s.patch('ConfigMap', 'owned', 'merge', { metadata: held });
    await settle();
    await s.delete('Secret', 'owner', { query: { propagationPolicy: 'Foreground' } });
    await s.untilGone('Secret', 'owner');
    await s.until('ConfigMap', 'owned', (it) => it?.metadata['deletionTimestamp'] !== undefined);
    await s.patch('ConfigMap', 'owned', 'merge', release);
    await s.untilGone('ConfigMap', 'owned');
  },
  'foreground deletion of an owner of nothing': async (s) => {
    await s.create(secret('owner'));
    await s.delete('Secret', 'owner', { query: { propagationPolicy: 'Foreground' } });
    await s.untilGone('Secret', 'owner');
  },
  'a chain of owners goes': async (s) => {
    const { body: first } = await s.create(secret('first'));
    const { body: second } = await s.create(configMap('second', {}, ownedBy(first)));
    await s.create({ ...lease('third'), metadata: { name: 'third', ...ownedBy(second) } });
    await settle();
    await s.delete('Secret', 'first');
    await s.untilGone('Lease', 'third');
    await s.untilGone('ConfigMap', 'second');
  },
  'what has a living owner left stays': async (s) => {
    const { body: one } = await s.create(secret('one'));
    const { body: two } = await s.create(secret('two'));
    const ownerReferences = [...ownedBy(one).ownerReferences, ...ownedBy(two).ownerReferences];
    await s.create(configMap('owned', {}, { ownerReferences }));
    await settle();
    await s.delete('Secret', 'one');
    const left = await s.until(
      'ConfigMap',
      'owned',
      (it) => (it?.metadata['ownerReferences'] as unknown[]).length === 1,
    );
    s.note('left', left?.metadata['ownerReferences']);
    await s.delete('Secret', 'two');
    await s.untilGone('ConfigMap', 'owned');
  },
  'what names an owner that never was goes': async (s) => {
    const { body } = await s.create(secret('owner'));
    const [reference] = ownedBy(body).ownerReferences;
    const uid = '00000000-0000-0000-0000-000000000001';
    await s.create(configMap('wrong-uid', {}, { ownerReferences: [{ ...reference!, uid }] }));
    await s.create(
      configMap('wrong-name', {}, { ownerReferences: [{ ...reference!, name: 'none', uid }] }),
    );
    await s.untilGone('ConfigMap', 'wrong-uid');
    await s.untilGone('ConfigMap', 'wrong-name');
    await s.read('Secret', 'owner');
  },
  'what names an owner of a kind that is not served stays': async (s) => {
    const { body } = await s.create(secret('owner'));
    const [served] = ownedBy(body).ownerReferences;
    const uid = '00000000-0000-0000-0000-000000000001';
    const gone = { ...served!, name: 'none', uid };
    const kinds: Readonly<Record<string, object>> = {
      group: { apiVersion: 'nothing.test/v1', kind: 'Thing' },
      version: { apiVersion: 'batch/v1beta1', kind: 'Job' },
      kind: { apiVersion: 'batch/v1', kind: 'Flow' },
    };
    for (const [name, kind] of Object.entries(kinds)) {
      const unserved = { ...gone, ...kind, uid: '00000000-0000-0000-0000-000000000002' };
      await s.create(configMap(name, {}, { ownerReferences: [unserved] }));
      await s.create(configMap(`${name}-and-gone`, {}, { ownerReferences: [gone, unserved] }));
      await s.create(configMap(`${name}-and-here`, {}, { ownerReferences: [unserved, served!] }));
    }
    await s.create(configMap('gone', {}, { ownerReferences: [gone] }));
    await s.untilGone('ConfigMap', 'gone');
    await settle();
    const { body: left } = await s.aside('GET', s.path('ConfigMap'));
    const names = left.items?.map(({ metadata }) => metadata);
    s.note(
      'left',
      names
        ?.filter(({ name }) => name !== 'kube-root-ca.crt')
        .map(({ name, ownerReferences }) => [name, (ownerReferences as unknown[]).length]),
    );
    await s.delete('Secret', 'owner', { query: { propagationPolicy: 'Foreground' } });
    await s.untilGone('Secret', 'owner');
    await settle();
    const { body: still } = await s.aside('GET', s.path('ConfigMap', 'kind-and-here'));
    s.note('still there', still.metadata['deletionTimestamp'] === undefined);
  },
  'an owner reference is complete': async (s) => {
    const whole = {
      apiVersion: 'v1',
      kind: 'Secret',
      name: 'a',
      uid: '00000000-0000-0000-0000-000000000001',
    };
    for (const missing of ['apiVersion', 'kind', 'name', 'uid']) {
      await s.create(configMap('a', {}, { ownerReferences: [{ ...whole, [missing]: '' }] }));
    }
    await s.create(configMap('a', {}, { ownerReferences: [{ ...whole, apiVersion: 'a/b/c' }] }));
    await s.create(
      configMap('a', {}, { ownerReferences: [{ ...whole, apiVersion: 'v1', kind: 'Event' }] }),
    );
  },
  'one controller is the most': async (s) => {
    const one = {
      apiVersion: 'v1',
      kind: 'Secret',
      name: 'a',
      uid: '00000000-0000-0000-0000-000000000001',
      controller: true,
    };
    const two = { ...one, name: 'b', uid: '00000000-0000-0000-0000-000000000002' };
    await s.create(configMap('a', {}, { ownerReferences: [one, two] }));
  },
  'an unknown propagation policy': async (s) => {
    await s.create(configMap('a'));
    await s.delete('ConfigMap', 'a', { query: { propagationPolicy: 'Sideways' } });
    await s.delete('ConfigMap', 'a', { body: { propagationPolicy: 'Sideways' } });
  },
  'propagationPolicy and orphanDependents exclude each other': async (s) => {
    await s.create(configMap('a'));
    const body = { propagationPolicy: 'Orphan', orphanDependents: true };
    await s.delete('ConfigMap', 'a', { body });
  },
  'DeleteOptions have their own kind': async (s) => {
    await s.create(configMap('a'));
    await s.delete('ConfigMap', 'a', { body: { kind: 'ConfigMap', apiVersion: 'v1' } });
    await s.delete('ConfigMap', 'a', {
      body: { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: -1 },
    });
  },
  'a deletecollection takes what is selected': async (s) => {
    for (const name of ['a', 'b', 'c']) {
      await s.create(secret(name, { labels: { gone: name === 'b' ? 'no' : 'yes' } }));
    }
    await s.deleteAll('Secret', { labelSelector: 'gone=yes' });
    await s.list('Secret');
    await s.deleteAll('Secret', { fieldSelector: 'metadata.name=none' });
    await s.deleteAll('Secret');
    await s.list('Secret');
  },
  'a deletecollection meets finalizers': async (s) => {
    await s.create(secret('a', held));
    await s.create(secret('b'));
    await s.deleteAll('Secret');
    await s.list('Secret');
    await s.patch('Secret', 'a', 'merge', release);
  },
  'a Job orphans its Pods when a delete does not say otherwise': async (s) => {
    await s.create(restingJob('a'));
    await s.delete('Job', 'a');
    await s.untilGone('Job', 'a');
  },
  'a Pod without a node goes at once': async (s) => {
    await s.create(pod('a'));
    await s.delete('Pod', 'a');
    await s.read('Pod', 'a');
  },
  'a grace period of 0 ends a Pod at once': async (s) => {
    await s.create(pod('a', { nodeName: s.own('nowhere') }));
    await s.delete('Pod', 'a', { query: { gracePeriodSeconds: 0 } });
    await s.read('Pod', 'a');
  },
  'a Pod on a node has its grace period': async (s) => {
    await s.create(pod('a', { nodeName: s.own('nowhere') }, held));
    await s.delete('Pod', 'a');
    await s.delete('Pod', 'a', { query: { gracePeriodSeconds: 5 } });
    await s.delete('Pod', 'a', { query: { gracePeriodSeconds: 50 } });
    await s.delete('Pod', 'a', { query: { gracePeriodSeconds: 0 } });
    await s.patch('Pod', 'a', 'merge', release);
    await s.read('Pod', 'a');
  },
});
