import { expect, test } from 'vitest';
import { refusal } from '../apimachinery/testing/refusal.ts';
import { Fixture } from './testing/fixture.ts';

/** A Pod on a node, so that it stays until its kubelet has ended it. */
function fixture(): Fixture {
  const api = Fixture.withAccount();
  const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] };
  api.create('pods', { metadata: { name: 'p' }, spec });
  return api;
}

const evict = (api: Fixture, body: object = {}, options = {}) =>
  api.do('create', 'pods', {
    ...{ name: 'p', subresource: 'eviction', options },
    body: { metadata: { name: 'p' }, ...body },
  });

const condition = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'EvictionByEvictionAPI',
  message: 'Eviction API: evicting',
  lastProbeTime: null,
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

test('an evicted Pod has the reason of its end', () => {
  const api = fixture();
  evict(api);
  const { metadata, status } = api.get('pods', 'p');
  expect(status).toMatchObject({ conditions: [condition] });
  expect(metadata.deletionGracePeriodSeconds).toBe(30);
});

test('a second eviction keeps the time of the first', () => {
  const api = fixture();
  evict(api);
  api.nowMs += 5000;
  evict(api, { deleteOptions: { gracePeriodSeconds: 7 } });
  const { metadata, status } = api.get('pods', 'p');
  expect(status).toMatchObject({ conditions: [condition] });
  expect(metadata.deletionGracePeriodSeconds).toBe(7);
});

test.each([
  ['asked by the request', {}, { dryRun: true }],
  ['asked by the eviction', { deleteOptions: { dryRun: ['All'] } }, {}],
])('a dry run %s changes nothing', (_how, body, options) => {
  const api = fixture();
  const before = api.get('pods', 'p');
  evict(api, body, options);
  expect(api.get('pods', 'p')).toEqual(before);
});

test('the preconditions of an eviction are checked before the Pod is changed', () => {
  const api = fixture();
  const before = api.get('pods', 'p');
  const preconditions = { uid: 'other' };
  expect(refusal(() => evict(api, { deleteOptions: { preconditions } })).code).toBe(409);
  expect(refusal(() => evict(api, { metadata: { name: 'q' } })).code).toBe(400);
  expect(api.get('pods', 'p')).toEqual(before);
  const { resourceVersion } = before.metadata;
  evict(api, { deleteOptions: { preconditions: { resourceVersion } } });
  expect(api.get('pods', 'p').metadata.deletionTimestamp).toBeDefined();
});
