import { describe, expect, it } from 'vitest';
import { asEventId, asUid, type JsonObject } from '#shared/domain/objects.ts';
import type { CloudEvent } from '#shared/events/cloud-event.ts';
import { fromEventReference } from '#shared/events/change-event.ts';
import type { EventReference } from '#shared/events/event-reference.ts';
import { jobReference as job } from '#shared/events/testing/job-reference.ts';
import { workItemOf } from './event-work.ts';
import { createStoredCluster } from '../testing/stored-cluster.ts';
import { flowSubscription as subscription } from '../testing/flow-subscription.ts';

const flowVersion = 'api.practice.com/v1alpha1';
const { owner } = job;
const key = { apiVersion: flowVersion, kind: 'JobFlow', namespace: 'default', name: 'flow-a' };
const flow: EventReference = {
  ...job,
  ...key,
  type: 'dev.millrace.jobflow.changed.v1',
  uid: asUid('u-flow'),
  id: asEventId('u-flow.5'),
};
const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const cluster = createStoredCluster();
const work = (event: CloudEvent) => workItemOf(event, { subscription, reader: cluster.reader });
const ofJob = (overrides: Partial<EventReference> = {}) =>
  fromEventReference({ ...job, ...overrides });
const knative = (type: string, kind: string, apiVersion: string, data: JsonObject): CloudEvent => ({
  id: 'b1e0f0f2',
  source: 'https://10.96.0.1:443',
  type: `dev.knative.apiserver.${type}`,
  datacontenttype: 'application/json',
  extensions: { kind, apiversion: apiVersion },
  data,
});

describe('our own events', () => {
  it('of the decided kind ask for the object itself', async () => {
    expect(await work(fromEventReference(flow))).toStrictEqual({
      function: 'flow-advance',
      key: { ...key, uid: 'u-flow' },
      cause: 'u-flow.5',
    });
  });
  it('of a child ask for its controller', async () => {
    expect(await work(ofJob({ traceparent }))).toEqual({
      function: 'flow-advance',
      key: { ...key, uid: 'u-flow' },
      cause: 'u-job.77',
      traceparent,
    });
  });
  it('of a due object keep the cause', async () => {
    const event = fromEventReference({ ...flow, type: 'dev.millrace.jobflow.due.v1' });
    const extensions = { ...event.extensions, causationid: 'u-job.77' };
    expect(await work({ ...event, extensions })).toMatchObject({ cause: 'u-job.77' });
  });
  it('of a foreign Job ask for nothing', async () => {
    const cronJob = { ...owner, apiVersion: 'batch/v1', kind: 'CronJob' };
    expect(await work(ofJob({ owner: cronJob }))).toBeUndefined();
  });
});

describe('events of ApiServerSource', () => {
  const stored = cluster.put({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: 'flow-a-step',
      namespace: 'default',
      ownerReferences: [{ ...owner, controller: true }],
    },
  });
  const storedFlow = cluster.put({
    apiVersion: flowVersion,
    kind: 'JobFlow',
    metadata: { name: 'flow-a', namespace: 'default' },
  });
  it('lead to the controller by the object in their data', async () => {
    const event = knative('resource.update', 'Job', 'batch/v1', stored as unknown as JsonObject);
    expect(await work(event)).toMatchObject({ key: { ...key, uid: 'u-flow' }, cause: 'b1e0f0f2' });
  });
  it('lead to the controller by reading the Job that they only refer to', async () => {
    const data = { namespace: 'default', name: 'flow-a-step' };
    expect(await work(knative('ref.update', 'Job', 'batch/v1', data))).toMatchObject({
      key: { ...key, uid: 'u-flow' },
    });
  });
  it('lead to the flow with the uid that is read', async () => {
    const data = { namespace: 'default', name: 'flow-a' };
    expect(await work(knative('ref.add', 'JobFlow', flowVersion, data))).toMatchObject({
      key: { ...key, uid: storedFlow.metadata.uid },
    });
  });
  it('ask for nothing when the object they refer to is gone', async () => {
    const data = { namespace: 'default', name: 'vanished' };
    expect(await work(knative('ref.delete', 'Job', 'batch/v1', data))).toBeUndefined();
  });
});

it('a due event that does not name the object that is due is malformed', async () => {
  const type = 'dev.millrace.jobflow.due.v1';
  const { data, extensions, ...event } = fromEventReference({ ...flow, type });
  expect(data).toBeDefined();
  const { uid, ...others } = extensions;
  expect(uid).toBe('u-flow');
  await expect(work({ ...event, extensions: others })).rejects.toMatchObject({
    code: 'MR_EVENT_MALFORMED',
    fields: { detail: 'uid is missing' },
  });
});

describe('events for another function', () => {
  it.each<[string, CloudEvent]>([
    ['an unknown type', { ...ofJob(), type: 'com.github.push' }],
    [
      'a kind that the function does not watch',
      ofJob({ kind: 'Pod', apiVersion: 'v1', type: 'dev.millrace.pod.changed.v1' }),
    ],
    ['a Job of another group', ofJob({ apiVersion: 'batch.volcano.sh/v1alpha1' })],
    [
      'a JobTemplate, whose referrers only the bridge knows',
      ofJob({
        kind: 'JobTemplate',
        apiVersion: flowVersion,
        type: 'dev.millrace.jobtemplate.changed.v1',
      }),
    ],
    ['a due event of another kind', { ...ofJob(), type: 'dev.millrace.job.due.v1' }],
  ])('are refused: %s', async (_name, event) => {
    await expect(work(event)).rejects.toMatchObject({
      code: 'MR_EVENT_UNROUTABLE',
      fields: { function: 'flow-advance', type: event.type },
    });
  });
});
