import { expect, test } from 'vitest';
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

test('a suspended Job that never started may be told where to run', () => {
  const api = new Fixture();
  api.create(jobs, job('j', { suspend: true }));
  const place = { spec: { template: { spec: { nodeSelector: { zone: 'a' } } } } };
  expect(api.merge(jobs, 'j', place)).toMatchObject(place);
  const image = { containers: [{ name: 'main', image: 'other' }] };
  const error = refusal(() => api.merge(jobs, 'j', { spec: { template: { spec: image } } }));
  expect(error.message).toContain('spec.template.spec: Invalid value');
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
