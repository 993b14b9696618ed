/** Watches: their starting points, their events and the order of these. */
import { family } from '../harness/script.ts';
import type { Session } from '../harness/session.ts';
import { tableOf } from '../harness/session.ts';
import { configMap, pod, restingJob, secret } from './samples.ts';

async function latest(s: Session): Promise<string> {
  const { body } = await s.list('Secret');
  return body.metadata.resourceVersion;
}

export const watchScripts = family('watches', {
  'a life is reported in order': async (s) => {
    const watch = await s.watch('Secret', { resourceVersion: await latest(s) });
    await s.create(secret('a'));
    await s.patch('Secret', 'a', 'merge', { data: { key: 'eA==' } });
    await s.delete('Secret', 'a');
    await watch.take(3);
  },
  'a watch from a resourceVersion tells what came after': async (s) => {
    const { body } = await s.create(secret('a'));
    await s.create(secret('b'));
    await s.delete('Secret', 'a');
    const watch = await s.watch('Secret', { resourceVersion: body.metadata.resourceVersion });
    await watch.take(2);
  },
  'a watch without a resourceVersion tells first what is there': async (s) => {
    await s.create(secret('b'));
    await s.create(secret('a'));
    const watch = await s.watch('Secret');
    await watch.take(2);
    await s.create(secret('c'));
    await watch.take(1);
  },
  'a watch from 0 tells first what is there': async (s) => {
    const { body } = await s.create(secret('a'));
    await s.list('Secret', { resourceVersion: body.metadata.resourceVersion });
    const watch = await s.watch('Secret', { resourceVersion: '0' });
    await watch.take(1);
    await s.delete('Secret', 'a');
    await watch.take(1);
  },
  'an update that changes nothing is not reported': async (s) => {
    const watch = await s.watch('Secret', { resourceVersion: await latest(s) });
    const { body } = await s.create(secret('a'));
    await s.update(body);
    await s.delete('Secret', 'a');
    await watch.take(2);
  },
  'a dry run is not reported': async (s) => {
    const watch = await s.watch('Secret', { resourceVersion: await latest(s) });
    await s.create(secret('a'), { query: { dryRun: 'All' } });
    await s.create(secret('b'));
    await watch.take(1);
  },
  'what begins to match is added, what no longer does is deleted': async (s) => {
    const query = { resourceVersion: await latest(s), labelSelector: 'in=yes' };
    const watch = await s.watch('Secret', query);
    await s.create(secret('a'));
    await s.patch('Secret', 'a', 'merge', { metadata: { labels: { in: 'yes' } } });
    await s.patch('Secret', 'a', 'merge', { metadata: { labels: { more: 'yes' } } });
    await s.patch('Secret', 'a', 'merge', { metadata: { labels: { in: 'no' } } });
    await s.patch('Secret', 'a', 'merge', { metadata: { labels: { more: null } } });
    await s.delete('Secret', 'a');
    await s.create(secret('b', { labels: { in: 'yes' } }));
    await watch.take(4);
  },
  'a watch of one object by its name': async (s) => {
    const query = { resourceVersion: await latest(s), fieldSelector: 'metadata.name=b' };
    const watch = await s.watch('Secret', query);
    await s.create(secret('a'));
    await s.create(secret('b'));
    await s.delete('Secret', 'a');
    await s.delete('Secret', 'b');
    await watch.take(2);
  },
  'a Pod leaves a watch by a field': async (s) => {
    const query = { fieldSelector: 'spec.nodeName=', timeoutSeconds: 2 };
    await s.create(pod('a'));
    const watch = await s.watch('Pod', query);
    await watch.take(1);
    const target = { apiVersion: 'v1', kind: 'Node', name: s.own('nowhere') };
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'a' }, target };
    await s.call('POST', s.path('Pod', 'a', { sub: 'binding' }), { body: binding });
    const [event] = await watch.take(1);
    s.note('type', (event as { type: string } | undefined)?.type ?? 'none');
    await s.delete('Pod', 'a', { query: { gracePeriodSeconds: 0 } });
  },
  'a deletion with a finalizer is a change first': async (s) => {
    const watch = await s.watch('Secret', { resourceVersion: await latest(s) });
    await s.create(secret('a', { finalizers: ['x.test/held'] }));
    await s.delete('Secret', 'a');
    await s.patch('Secret', 'a', 'merge', { metadata: { finalizers: null } });
    await watch.take(3);
  },
  'deletionTimestamp and last finalizer at once': async (s) => {
    const watch = await s.watch('Secret', { resourceVersion: await latest(s) });
    await s.create(secret('a'));
    await s.deleteAll('Secret');
    await watch.take(2);
  },
  'initial events end with a bookmark': async (s) => {
    await s.create(secret('a'));
    const watch = await s.watch('Secret', {
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
    });
    await watch.take(2);
    await s.create(secret('b'));
    await watch.take(1);
  },
  'initial events of an empty collection': async (s) => {
    const watch = await s.watch('Secret', {
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      resourceVersion: '0',
      allowWatchBookmarks: true,
    });
    await watch.take(1);
  },
  'sendInitialEvents has its conditions': async (s) => {
    await s.watch('Secret', { sendInitialEvents: true });
    await s.watch('Secret', { sendInitialEvents: true, resourceVersionMatch: 'Exact' });
    await s.watch('Secret', { resourceVersionMatch: 'NotOlderThan' });
    await s.list('Secret', { sendInitialEvents: true });
  },
  'sendInitialEvents without bookmarks': async (s) => {
    await s.create(secret('a'));
    const watch = await s.watch('Secret', {
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
    });
    await watch.take(1);
  },
  'sendInitialEvents=false starts at the present': async (s) => {
    await s.create(secret('a'));
    const watch = await s.watch('Secret', {
      sendInitialEvents: false,
      resourceVersionMatch: 'NotOlderThan',
      resourceVersion: await latest(s),
    });
    await s.create(secret('b'));
    await watch.take(1);
  },
  'a watch ends after its timeout': async (s) => {
    await s.create(secret('a'));
    const watch = await s.watch('Secret', { timeoutSeconds: 1 });
    await watch.rest();
  },
  'a watch from a resourceVersion that is no number': async (s) => {
    const watch = await s.watch('Secret', { resourceVersion: 'abc' });
    await watch.take(1);
  },
  'a watch with a bad selector': async (s) => {
    await s.watch('Secret', { labelSelector: 'a b' });
    await s.watch('Secret', { fieldSelector: 'data.x=1' });
  },
  'a watch as a Table': async (s) => {
    await s.create(secret('a'));
    const watch = await s.watch('Secret', {}, { headers: { accept: tableOf } });
    await watch.take(1);
    await s.create(secret('b'));
    await watch.take(1);
  },
  'the old path of a watch': async (s) => {
    await s.create(secret('a'));
    const path = `/api/v1/watch/namespaces/${s.ns}/secrets?timeoutSeconds=1`;
    await s.call('GET', path);
  },
  'a watch over all namespaces': async (s) => {
    const { body } = await s.create(configMap('first', {}, { labels: { mine: s.ns } }));
    const query = { resourceVersion: body.metadata.resourceVersion, labelSelector: `mine=${s.ns}` };
    const watch = await s.watch('ConfigMap', query, { namespace: '' });
    await s.create(configMap('second', {}, { labels: { mine: s.ns } }));
    await watch.take(1);
  },
  'a watch of a namespaced kind by namespace field': async (s) => {
    const { body } = await s.create(secret('a'));
    const query = {
      resourceVersion: body.metadata.resourceVersion,
      fieldSelector: `metadata.namespace=${s.ns}`,
    };
    const watch = await s.watch('Secret', query, { namespace: '' });
    await s.create(secret('b'));
    await watch.take(1);
  },
  'a status change is reported': async (s) => {
    const { body } = await s.create(restingJob('a'));
    const watch = await s.watch('Job', { resourceVersion: body.metadata.resourceVersion });
    await s.patch('Job', 'a', 'merge', { status: { active: 1 } }, { sub: 'status' });
    await s.patch('Job', 'a', 'merge', { status: { active: 1 } }, { sub: 'status' });
    await s.patch('Job', 'a', 'merge', { spec: { parallelism: 2 } });
    await watch.take(2);
  },
});
