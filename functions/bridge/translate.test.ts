import { describe, expect, it } from 'vitest';
import { asEventId } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { flow, job, ownedBy, pod } from '#shared/domain/testing/objects.ts';
import { traceparentOf, translate } from './translate.ts';

const ofJob = (type: 'changed' | 'deleted' | 'gone', fields = {}) =>
  translate('cluster-1', resources.Job, { type, object: job(fields) });

describe('the id', () => {
  it.each([
    ['changed', 'u1.7'],
    ['deleted', 'u1.7.deleted'],
    ['gone', 'u1.7.gone'],
  ] as const)('of an object that is %s is made of uid and version', (type, id) => {
    expect(ofJob(type, { uid: 'u1', version: '7' }).id).toBe(id);
  });

  it('does not depend on anything but uid, version and kind of change', () => {
    const first = ofJob('changed', { status: { active: 1 } });
    const second = ofJob('changed', { status: { active: 2 }, metadata: { labels: { x: 'y' } } });
    expect(second).toEqual(first);
  });
});

it('says what changed and where, and carries nothing of the content', () => {
  const owner = flow({ name: 'f', uid: 'flow-uid' });
  const object = job({
    name: 'f-a',
    uid: 'u1',
    version: '7',
    metadata: ownedBy(owner),
    spec: { template: { env: 'secret' } },
    status: { active: 1 },
  });
  const id = asEventId('u1.7');
  expect(translate('cluster-1', resources.Job, { type: 'changed', object })).toEqual({
    id,
    source: '/millrace/cluster-1/batch/v1/jobs',
    type: 'dev.millrace.job.changed.v1',
    subject: '/apis/batch/v1/namespaces/default/jobs/f-a',
    apiVersion: 'batch/v1',
    kind: 'Job',
    namespace: 'default',
    name: 'f-a',
    uid: 'u1',
    resourceVersion: '7',
    owner: {
      apiVersion: 'api.practice.com/v1alpha1',
      kind: 'JobFlow',
      name: 'f',
      uid: 'flow-uid',
    },
    traceparent: traceparentOf(id),
  });
});

it.each(['deleted', 'gone'] as const)('speaks of an object that is %s as deleted', (type) => {
  expect(ofJob(type).type).toBe('dev.millrace.job.deleted.v1');
});

it('names no owner when none is the controller', () => {
  const [reference] = ownedBy(flow()).ownerReferences ?? [];
  const notController = { ownerReferences: [{ ...reference!, controller: false }] };
  expect(ofJob('changed', { metadata: notController })).not.toHaveProperty('owner');
});

it('leaves the empty group of the core API out of the source', () => {
  const event = translate('cluster-1', resources.Pod, { type: 'changed', object: pod() });
  expect(event.source).toBe('/millrace/cluster-1/v1/pods');
  expect(event.subject).toBe('/api/v1/namespaces/default/pods/a');
});

describe('the trace context', () => {
  it('is a W3C traceparent of version 00, sampled', () => {
    expect(traceparentOf(asEventId('u1.7'))).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });

  it('is the same whenever the event is seen, and another for another event', () => {
    expect(traceparentOf(asEventId('u1.7'))).toBe(traceparentOf(asEventId('u1.7')));
    expect(traceparentOf(asEventId('u1.7'))).not.toBe(traceparentOf(asEventId('u1.8')));
  });

  it('has the start of the SHA-256 of the id as trace id', () => {
    // printf u1.7 | sha256sum
    expect(traceparentOf(asEventId('u1.7')).slice(3, 35)).toBe('7cd3356d480b7e8a53acdb74df7d031a');
  });
});

it('names an object of the whole cluster without a namespace', () => {
  const object = { ...job({ name: 'n1' }), apiVersion: 'v1', kind: 'Node' };
  const { namespace, ...metadata } = object.metadata;
  expect(namespace).toBe('default');
  const node = { ...object, metadata };
  const event = translate('cluster-1', resources.Node, { type: 'changed', object: node });
  expect(event).toMatchObject({ namespace: '', name: 'n1', subject: '/api/v1/nodes/n1' });
});
