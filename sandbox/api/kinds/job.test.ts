import { expect, test } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import { refusal } from '../../apimachinery/testing/refusal.ts';
import { Fixture, job } from '../testing/fixture.ts';

const jobs = 'jobs.batch';

test('a Job gets its defaults, its selector and its labels', () => {
  const { spec, status, metadata } = new Fixture().create(jobs, job('j'));
  const { uid } = metadata;
  const labels = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': 'j',
    'controller-uid': uid,
    'job-name': 'j',
  };
  expect(metadata.labels).toEqual(labels);
  expect(status).toEqual({});
  expect(spec).toEqual({
    parallelism: 1,
    completions: 1,
    backoffLimit: 6,
    completionMode: 'NonIndexed',
    suspend: false,
    manualSelector: false,
    podReplacementPolicy: 'TerminatingOrFailed',
    selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
    template: {
      metadata: { labels },
      spec: {
        restartPolicy: 'Never',
        dnsPolicy: 'ClusterFirst',
        schedulerName: 'default-scheduler',
        securityContext: {},
        terminationGracePeriodSeconds: 30,
        containers: [
          {
            name: 'main',
            image: 'busybox',
            imagePullPolicy: 'Always',
            resources: {},
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
          },
        ],
      },
    },
  });
});

test('a Job must say how its Pods restart', () => {
  const template = { spec: { containers: [{ name: 'c', image: 'i' }] } };
  expect(refusal(() => new Fixture().create(jobs, job('j', { template }))).message).toBe(
    'Job.batch "j" is invalid: spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
  );
});

test.each([
  [{ completions: 2 }, 'spec.completions: Invalid value: 2: field is immutable'],
  [
    { completionMode: 'Indexed' },
    'spec.completionMode: Invalid value: "Indexed": field is immutable',
  ],
  [{ template: { metadata: { labels: { a: 'b' } } } }, 'spec.template: Invalid value'],
  [{ parallelism: -1 }, 'spec.parallelism: Invalid value: -1: must be greater than or equal to 0'],
])('of a Job one may not change %j', (spec, text) => {
  const api = new Fixture();
  api.create(jobs, job('j'));
  expect(refusal(() => api.merge(jobs, 'j', { spec })).message).toContain(text);
});

const startTime = '2026-01-01T00:00:00Z';
const place = { spec: { template: { spec: { nodeSelector: { zone: 'a' } } } } };
const size = { name: 'main', image: 'busybox', resources: { requests: { cpu: '2' } } };

test('a suspended Job that never started may get another placement and other resources', () => {
  const api = new Fixture();
  api.create(jobs, job('j', { suspend: true }));
  const change = (spec: object, metadata = {}) =>
    api.merge(jobs, 'j', { spec: { template: { spec: { ...spec }, metadata } } });
  expect(api.merge(jobs, 'j', place)).toMatchObject(place);
  expect(change({ containers: [size] }, { labels: { a: 'b' } })).toMatchObject({
    spec: { template: { spec: { containers: [size] }, metadata: { labels: { a: 'b' } } } },
  });
  const nodeAffinity = {
    preferredDuringSchedulingIgnoredDuringExecution: [
      { weight: 1, preference: { matchExpressions: [{ key: 'zone', operator: 'Exists' }] } },
    ],
  };
  change({ affinity: { nodeAffinity } });
  change({ affinity: null });
  for (const spec of [
    { containers: [{ name: 'main', image: 'other' }] },
    { containers: [size, { ...size, name: 'second' }] },
    { affinity: { podAffinity: {} } },
  ]) {
    expect(refusal(() => change(spec)).message).toContain('spec.template.spec: Invalid value');
  }
  const limits = { cpu: '1' };
  const over = { ...size, resources: { ...size.resources, limits } };
  expect(refusal(() => change({ containers: [over] })).message).toContain(
    'spec.template.spec.containers[0].resources.requests: Invalid value: "2"',
  );
});

test.each([
  ['with Pods that run', { startTime, active: 1 }, false],
  ['whose suspension is not recorded', { startTime }, false],
  [
    'whose suspension is recorded',
    { startTime, conditions: [{ type: 'Suspended', status: 'True' }] },
    true,
  ],
])('a suspended Job that started and %s', (_what, status, isOpen) => {
  const api = new Fixture();
  api.create(jobs, job('j', { suspend: true }));
  api.merge(jobs, 'j', { status }, { subresource: 'status' });
  const change = () => api.merge(jobs, 'j', place);
  if (isOpen) expect(change()).toMatchObject(place);
  else expect(refusal(change).message).toContain('spec.template: Invalid value');
});

const labelled = (labels: JsonObject) => ({
  metadata: { labels },
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] },
});

test.each([
  [{ template: labelled({ 'job-name': 'x' }) }, 'labels[job-name]: Invalid value'],
  [
    { template: labelled({ 'batch.kubernetes.io/controller-uid': 'x' }) },
    'labels[batch.kubernetes.io/controller-uid]: Invalid value',
  ],
  [{ selector: { matchLabels: { 'job-name': 'x' } } }, 'spec.selector: Invalid value'],
  [
    { selector: { matchExpressions: [{ key: 'job-name', operator: 'DoesNotExist' }] } },
    'spec.selector: Invalid value',
  ],
  [{ manualSelector: true }, 'spec.selector: Required value'],
  [
    { manualSelector: true, selector: { matchLabels: { a: 'b' } } },
    '`selector` does not match template `labels`',
  ],
])('a Job with %j is refused', (spec, message) => {
  const create = () => new Fixture().create(jobs, job('j', spec));
  expect(refusal(create).message).toContain(message);
});

test('a Job may say by itself what is generated, and select by hand', () => {
  const api = new Fixture();
  const own = {
    selector: { matchLabels: { 'job-name': 'j' } },
    template: labelled({ 'job-name': 'j' }),
  };
  const { uid } = api.create(jobs, job('j', own)).metadata;
  expect(api.get(jobs, 'j').spec).toMatchObject({
    selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid, 'job-name': 'j' } },
  });
  const byHand = {
    manualSelector: true,
    selector: { matchLabels: { 'job-name': 'x' } },
    template: labelled({ 'job-name': 'x' }),
  };
  expect(api.create(jobs, job('k', byHand)).spec).toMatchObject(byHand);
});

test('a Job with labels of its own gets no others', () => {
  const metadata = { name: 'j', labels: { a: 'b' } };
  const created = new Fixture().create(jobs, { ...job('j'), metadata });
  expect(created.metadata.labels).toEqual({ a: 'b' });
});

test('an indexed Job grows when completions and parallelism stay equal', () => {
  const api = new Fixture();
  api.create(jobs, job('j', { completionMode: 'Indexed', completions: 2, parallelism: 2 }));
  const spec = { completions: 4, parallelism: 4 };
  expect(api.merge(jobs, 'j', { spec })).toMatchObject({ spec });
});

test('a Job ends once and in order', () => {
  const api = new Fixture();
  api.create(jobs, job('j'));
  const conditions = [{ type: 'Complete', status: 'True' }];
  const end = () =>
    api.merge(jobs, 'j', { status: { active: 1, conditions } }, { subresource: 'status' });
  expect(refusal(end).details?.causes?.map(({ field, message }) => `${field}: ${message}`)).toEqual(
    [
      'status.completionTime: Required value: completionTime is required for Complete jobs',
      'status.startTime: Required value: startTime is required for finished job',
      'status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
      'status.active: Invalid value: 1: active>0 is invalid for finished job',
    ],
  );
});
