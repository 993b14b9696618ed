import { describe, expect, it } from 'vitest';
import { subscriptions } from '#functions/list.ts';
import { renderRoles } from '#shared/api/roles.ts';
import { labels } from '#shared/domain/labels.ts';
import type { Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { flow, job, ownedBy } from '#shared/domain/testing/objects.ts';
import type { Subscription, Watch } from '#shared/subscription/subscription.ts';
import { bridgeAccess, concerns, watchSetOf } from './watch-set.ts';

const { Job, JobFlow, Pod } = resources;
const childLabels: Readonly<Record<string, string>> = {
  [labels.ownerUid]: flow().metadata.uid,
};

describe('the watch set', () => {
  const keeping =
    (...annotations: readonly string[]): Watch['keep'] =>
    (object) => ({
      ...object,
      metadata: {
        ...object.metadata,
        annotations: Object.fromEntries(
          Object.entries(object.metadata.annotations ?? {}).filter(([key]) =>
            annotations.includes(key),
          ),
        ),
      },
    });
  const watch = (resource: Resource, fields: Partial<Watch> = {}): Watch => ({
    ...{ resource, leadsTo: 'self', fingerprint: () => null, keep: keeping() },
    ...fields,
  });
  const subscription = (name: string, watches: readonly Watch[]): Subscription => ({
    ...{ name, decides: [JobFlow], kinds: [], watches, isUnfinished: () => false, access: [] },
  });
  const first = subscription('first', [watch(JobFlow), watch(Job, { only: 'children' })]);
  const second = subscription('second', [watch(Pod), watch(JobFlow)]);

  it('has each resource once, in the order of the functions, with all who are woken', () => {
    const set = watchSetOf([first, second]);
    expect(set.map(({ resource }) => resource)).toEqual([JobFlow, Job, Pod]);
    const woken = set.map(({ watchers }) => watchers.map(({ subscription: { name } }) => name));
    expect(woken).toEqual([['first', 'second'], ['first'], ['second']]);
    expect(set[0]?.watchers[1]?.watch).toBe(second.watches[1]);
  });

  it('is empty without functions', () => {
    expect(watchSetOf([])).toEqual([]);
  });

  it('asks for children alone where no function wants more', () => {
    const all = subscription('all', [watch(Job)]);
    const selectors = [[first], [first, first], [first, all]].map(
      (subscriptions) =>
        watchSetOf(subscriptions).find(({ resource }) => resource === Job)?.labelSelector,
    );
    expect(selectors).toEqual([labels.ownerUid, labels.ownerUid, undefined]);
  });

  it('follows other objects from the first on that is decided about', () => {
    const others = subscription('others', [watch(Job, { only: 'others' })]);
    const [job] = watchSetOf([others]);
    expect(job?.labelSelector).toBe(labels.ownerUid);
    expect(job?.widenedBy).toEqual([JobFlow]);
    const everything = watchSetOf([others, subscription('all', [watch(Job)])]);
    expect(everything[0]?.labelSelector).toBeUndefined();
    expect(everything[0]?.widenedBy).toEqual([]);
  });

  it('follows from the beginning what one of them needs, whatever others wait for', () => {
    const need = (resource: Resource) => ({ resource, when: () => true });
    const waiting = (name: string, resource: Resource) =>
      subscription(name, [watch(Pod, { neededBy: [need(resource)] })]);
    const both = watchSetOf([waiting('a', Job), waiting('b', JobFlow)]);
    expect(both[0]?.neededBy?.map(({ resource }) => resource)).toEqual([Job, JobFlow]);
    expect(watchSetOf([waiting('a', Job), second])[0]).not.toHaveProperty('neededBy');
  });

  it('keeps of a child nothing that only those need who ask for others', () => {
    const of = (key: string, only: 'children' | 'others') =>
      subscription(key, [watch(Job, { only, keep: keeping(key) })]);
    const [watched] = watchSetOf([of('a', 'children'), of('b', 'others')]);
    const annotations = { a: '1', b: '2' };
    const kept = (metadata: object) =>
      watched?.project(job({ metadata: { annotations, ...metadata } })).metadata.annotations;
    expect(kept({ labels: childLabels, ...ownedBy(flow()) })).toEqual({ a: '1' });
    expect(kept({ labels: {}, ...ownedBy(flow()) })).toEqual({ b: '2' });
    expect(kept({ labels: childLabels })).toEqual(annotations);
  });

  it.each([
    ['the label and the owner of a child', childLabels, ownedBy(flow()), [true, false]],
    ['the label alone', childLabels, {}, [true, true]],
    ['the label, and another owner', childLabels, ownedBy(flow({ name: 'other' })), [true, true]],
    ['the owner alone', {}, ownedBy(flow()), [false, true]],
    ['neither', {}, {}, [false, true]],
  ])('takes what has %s for a child or for one of the others', (_, of, owner, expected) => {
    const object = job({ metadata: { labels: of, ...owner } });
    const asked = (['children', 'others'] as const).map((only) =>
      concerns(watch(Job, { only }), object),
    );
    expect(asked).toEqual(expected);
  });

  it('keeps of an object all that one of them keeps', () => {
    const of = (key: string) => subscription(key, [watch(Job, { keep: keeping(key) })]);
    const [watched] = watchSetOf([of('a'), of('b')]);
    const object = job({ metadata: { annotations: { a: '1', b: '2', c: '3' } } });
    expect(watched?.project(object).metadata.annotations).toEqual({ a: '1', b: '2' });
  });
});

it('asks in all namespaces for nothing but to follow, and to read the uid of the cluster', () => {
  const [everywhere] = renderRoles('bridge', bridgeAccess(subscriptions));
  const rules = everywhere?.['rules'] as readonly { readonly verbs: readonly string[] }[];
  const follows = rules.filter(({ verbs }) => verbs.join() === 'list,watch');
  const others = rules.filter((rule) => !follows.includes(rule));
  expect(follows).not.toEqual([]);
  expect(others).toEqual([{ apiGroups: [''], resources: ['namespaces'], verbs: ['get'] }]);
});

it('asks for no Lease but its own: the others hold every controller of the cluster', () => {
  const [everywhere, own] = renderRoles('bridge', bridgeAccess(subscriptions));
  expect(JSON.stringify(everywhere)).not.toContain('leases');
  expect(own?.['rules']).toEqual([
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
    {
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      resourceNames: ['millrace-bridge'],
      verbs: ['get', 'patch'],
    },
  ]);
});
