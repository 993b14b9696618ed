import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import { changedObjectOf } from './changed-object.ts';
import type { CloudEvent } from './cloud-event.ts';

const job = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: {
    name: 'flow-a-step',
    namespace: 'default',
    uid: '11111111-0000-4000-8000-000000000001',
    resourceVersion: '77',
    ownerReferences: [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'u-other' },
      {
        apiVersion: 'api.practice.com/v1alpha1',
        kind: 'JobFlow',
        name: 'flow-a',
        uid: 'u-flow',
        controller: true,
      },
    ],
  },
  spec: { template: {} },
};

function knative(
  type: string,
  data: JsonObject,
  extensions: Record<string, string> = {},
): CloudEvent {
  return {
    id: 'b1e0f0f2-7a5b-4a34-9d94-8a4fb4c6a2b1',
    source: 'https://10.96.0.1:443',
    type: `dev.knative.apiserver.${type}`,
    subject: '/apis/batch/v1/namespaces/default/jobs/flow-a-step',
    datacontenttype: 'application/json',
    extensions: {
      kind: 'Job',
      apiversion: 'batch/v1',
      name: 'flow-a-step',
      namespace: 'default',
      ...extensions,
    },
    data,
  };
}

const own = (overrides: Partial<CloudEvent> = {}): CloudEvent => ({
  id: 'u-flow.12',
  source: '/millrace/c/api.practice.com/v1alpha1/jobflows',
  type: 'dev.millrace.jobflow.changed.v1',
  extensions: {
    kind: 'JobFlow',
    apiversion: 'api.practice.com/v1alpha1',
    name: 'flow-a',
    namespace: 'default',
    uid: 'u-flow',
  },
  ...overrides,
});

describe("Knative's ApiServerSource", () => {
  it.each([
    ['resource.add', 'changed'],
    ['resource.update', 'changed'],
    ['resource.delete', 'deleted'],
  ])('takes %s with the whole object in the data', (type, change) => {
    expect(changedObjectOf(knative(type, job))).toEqual({
      dialect: 'knative',
      change,
      id: 'b1e0f0f2-7a5b-4a34-9d94-8a4fb4c6a2b1',
      apiVersion: 'batch/v1',
      kind: 'Job',
      namespace: 'default',
      name: 'flow-a-step',
      uid: '11111111-0000-4000-8000-000000000001',
      resourceVersion: '77',
      owner: {
        apiVersion: 'api.practice.com/v1alpha1',
        kind: 'JobFlow',
        name: 'flow-a',
        uid: 'u-flow',
      },
    });
  });
  it.each([
    ['ref.add', 'changed'],
    ['ref.update', 'changed'],
    ['ref.delete', 'deleted'],
  ])('takes %s with an ObjectReference, which has neither uid nor owner', (type, change) => {
    const reference = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      namespace: 'default',
      name: 'flow-a-step',
    };
    const object = changedObjectOf(knative(type, reference));
    expect(object).toMatchObject({ change, ...reference });
    expect(object).not.toHaveProperty('uid');
    expect(object).not.toHaveProperty('owner');
  });
  it('takes the empty namespace of a cluster-scoped object', () => {
    const node = { apiVersion: 'v1', kind: 'Node', name: 'n1' };
    const event = knative('ref.update', node, {
      kind: 'Node',
      apiversion: 'v1',
      name: 'n1',
      namespace: '',
    });
    expect(changedObjectOf(event)).toMatchObject({ namespace: '', kind: 'Node', name: 'n1' });
  });
  it('reads everything from the data when a broker dropped the extensions', () => {
    const event = { ...knative('resource.add', job), extensions: {} };
    expect(changedObjectOf(event)).toMatchObject({ kind: 'Job', name: 'flow-a-step' });
  });
});

describe('our own types', () => {
  it('takes a due event and keeps the event that caused it', () => {
    const event = own({
      id: 'abc.u-job.7',
      type: 'dev.millrace.jobflow.due.v1',
      extensions: { ...own().extensions, causationid: 'u-job.7' },
    });
    expect(changedObjectOf(event)).toMatchObject({
      change: 'due',
      cause: 'u-job.7',
      uid: 'u-flow',
    });
  });
  it('refuses a type that names another kind than the event', () => {
    expect(() => changedObjectOf(own({ type: 'dev.millrace.job.changed.v1' }))).toThrow(
      'kind "JobFlow" does not belong to type',
    );
  });
});

it.each(['com.github.push', 'dev.millrace.jobflow.exploded.v1', 'dev.knative.apiserver.ref.watch'])(
  'knows nothing about %s',
  (type) => {
    expect(changedObjectOf(own({ type }))).toBeUndefined();
  },
);

describe('names that would reach an API path', () => {
  it.each([
    ['name', '../secrets/x'],
    ['name', 'a/b'],
    ['name', 'UPPER'],
    ['namespace', 'kube-system/pods'],
    ['namespace', 'a.b'],
    ['apiversion', '../v1'],
    ['kind', 'jobflow'],
    ['uid', 'a b'],
  ])('refuses %s "%s"', (name, value) => {
    const event = own({ extensions: { ...own().extensions, [name]: value } });
    expect(() => changedObjectOf(event)).toThrow(`is not a valid ${name}`);
  });
  it.each(['kind', 'apiversion', 'name'])('refuses an event without %s', (name) => {
    const extensions = Object.fromEntries(
      Object.entries(own().extensions).filter(([key]) => key !== name),
    );
    expect(() => changedObjectOf(own({ extensions }))).toThrow(`${name} is missing`);
  });
  it('refuses attributes and data that name different objects', () => {
    expect(() => changedObjectOf(own({ data: { name: 'flow-b' } }))).toThrow(
      'name is "flow-a" in the attributes and "flow-b" in the data',
    );
  });
  it('refuses an owner without uid', () => {
    const owner = { apiVersion: 'api.practice.com/v1alpha1', kind: 'JobFlow', name: 'flow-a' };
    expect(() => changedObjectOf(own({ data: { owner } }))).toThrow("owner's uid is missing");
  });
  it.each([[[]], [1], ['text'], [Buffer.from('{}')]])('refuses data that is no object', (data) => {
    expect(() => changedObjectOf(own({ data }))).toThrow('the data is not');
  });
});

describe('the id', () => {
  const long = 'x'.repeat(513);
  it.each(['a b', 'flow\u202egnp.exe', 'é', '\u200bu.1', long])('refuses %j', (id) => {
    expect(() => changedObjectOf(own({ id }))).toThrow('is not a valid id');
    const extensions = { ...own().extensions, causationid: id };
    expect(() => changedObjectOf(own({ extensions }))).toThrow('is not a valid causationid');
  });
  it('is cut short in the reason', () => {
    expect(() => changedObjectOf(own({ id: long }))).toThrow(
      expect.toSatisfy(({ message }: Error) => message.length < 200) as Error,
    );
  });
});

describe('the traceparent', () => {
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  const parent = '00f067aa0ba902b7';
  const given = (traceparent: string) =>
    changedObjectOf(own({ extensions: { ...own().extensions, traceparent } }));
  it('is kept', () => {
    const text = `00-${trace}-${parent}-01`;
    expect(given(text)?.traceparent).toBe(text);
  });
  it.each([
    'words',
    `00-${trace}-${parent}-1`,
    `00-${trace.toUpperCase()}-${parent}-01`,
    `00-${'0'.repeat(32)}-${parent}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `ff-${trace}-${parent}-01`,
    `00-${trace}-${parent}-01${'x'.repeat(5_000)}`,
  ])('is as good as none when it is %s', (text) => {
    expect(given(text)).not.toHaveProperty('traceparent');
  });
});
