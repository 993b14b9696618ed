/**
 * Once `status.startTime` is set, the API server itself refuses every change of what runs, down to
 * the templates that it otherwise carries unseen; what steers the flow stays editable.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { flow, podSpec, step, type Loose } from '#shared/api/testing/verdict-case.ts';
import { apiRequests, type ApiRequests } from '#test/support/api-requests.ts';

const cluster = inject('cluster');
const namespace = 'api-frozen';
const path = `/apis/api.practice.com/v1alpha1/namespaces/${namespace}/jobflows`;

const container = (extra: Loose) => ({
  template: { spec: { containers: [{ name: 'main', image: 'busybox:1.28', ...extra }] } },
});
const metadata = { labels: { app: 'x' } };
const original = {
  globalParams: {
    nodeName: 'minikube',
    env: [
      { name: 'FOO', value: 'bar' },
      { name: 'BAZ', valueFrom: { fieldRef: { fieldPath: 'a' } } },
    ],
    labels: { key1: 'value1' },
  },
  shareVolumes: [{ name: 'shared', emptyDir: {} }],
  shareVolumeMounts: [{ name: 'shared', mountPath: '/data' }],
  flows: [
    step('a', { jobTemplate: container({ command: ['true'] }) }),
    step('b', {
      dependencies: ['a'],
      jobTemplate: {
        parallelism: 1,
        futureField: 1,
        template: { metadata, spec: { ...podSpec, hostPID: true, futureField: 1 } },
      },
    }),
  ],
};
const [a, b] = original.flows as [Loose, Loose];
const jobOfB = b['jobTemplate'] as { template: { spec: Loose } };
const withB = (jobTemplate: unknown) => ({ flows: [a, { ...b, jobTemplate }] });
const withPodOfB = (spec: Loose) => withB({ ...jobOfB, template: { metadata, spec } });
const withGlobalParams = (change: Loose) => ({
  globalParams: { ...original.globalParams, ...change },
});

const refused: readonly (readonly [rule: string, change: Loose])[] = [
  ['a new step', { flows: [a, b, step('c')] }],
  ['a removed step', { flows: [a] }],
  ['a new name', { flows: [a, { ...b, name: 'c' }] }],
  ['another dependency', { flows: [a, { ...b, dependencies: [] }] }],
  ['a retry policy', { flows: [a, { ...b, retryPolicy: { limit: 1 } }] }],
  [
    'another image',
    { flows: [{ ...a, jobTemplate: container({ command: ['true'], image: 'x' }) }, b] },
  ],
  ['another command', { flows: [{ ...a, jobTemplate: container({ command: ['false'] }) }, b] }],
  [
    'a command renamed to args',
    { flows: [{ ...a, jobTemplate: container({ args: ['true'] }) }, b] },
  ],
  [
    'an added field of a container',
    { flows: [{ ...a, jobTemplate: container({ command: ['true'], tty: true }) }, b] },
  ],
  ['another parallelism', withB({ ...jobOfB, parallelism: 2 })],
  ['an added field of the Job', withB({ ...jobOfB, backoffLimit: 2 })],
  ['another value of a field that the CRD does not know', withB({ ...jobOfB, futureField: 2 })],
  ['hostPID renamed to hostIPC', withPodOfB({ ...podSpec, hostIPC: true, futureField: 1 })],
  ['a toleration', withPodOfB({ ...jobOfB.template.spec, tolerations: [{ operator: 'Exists' }] })],
  [
    'another value of a Pod field that the CRD does not know',
    withPodOfB({ ...jobOfB.template.spec, futureField: 2 }),
  ],
  [
    'another label of a template',
    withB({ ...jobOfB, template: { ...jobOfB.template, metadata: { labels: { app: 'y' } } } }),
  ],
  [
    'a reference in place of a template',
    { flows: [a, { name: 'b', dependencies: ['a'], jobTemplateRef: 'x' }] },
  ],
  ['another node', withGlobalParams({ nodeName: 'other' })],
  ['another label', withGlobalParams({ labels: { key1: 'value2' } })],
  ['another variable', withGlobalParams({ env: [{ name: 'FOO', value: 'baz' }] })],
  [
    'the variables in another order',
    withGlobalParams({ env: [...original.globalParams.env].reverse() }),
  ],
  [
    'another source of a variable',
    withGlobalParams({
      env: [
        original.globalParams.env[0],
        { name: 'BAZ', valueFrom: { fieldRef: { fieldPath: 'b' } } },
      ],
    }),
  ],
  ['no global parameters', { globalParams: null }],
  ['another source of a volume', { shareVolumes: [{ name: 'shared', hostPath: { path: '/' } }] }],
  ['a volume source renamed', { shareVolumes: [{ name: 'shared', ephemeral: {} }] }],
  ['another mount', { shareVolumeMounts: [{ name: 'shared', mountPath: '/other' }] }],
  ['no volumes', { shareVolumes: null, shareVolumeMounts: null }],
  ['another template policy', { templatePolicy: 'ResolveAtStep' }],
];

const accepted: readonly (readonly [rule: string, change: Loose])[] = [
  ['suspend', { suspend: true }],
  ['suspendMode', { suspendMode: 'SchedulingOnly' }],
  ['ttlSecondsAfterFinished', { ttlSecondsAfterFinished: 60 }],
  ['failurePolicy', { failurePolicy: 'FailFast' }],
  ['startDeadlineSeconds', { startDeadlineSeconds: 60 }],
  ['the order of the steps', { flows: [b, a] }],
];

describe.skipIf(cluster === undefined)('a JobFlow on the API server', () => {
  let api: ApiRequests;
  const object = `${path}/example`;
  const change = (spec: Loose) => api.mergePatch(`${object}?dryRun=All`, { spec });
  const start = (startTime: string | null) =>
    api.mergePatch(`${object}/status`, { status: { state: 'Running', startTime } });

  beforeAll(async () => {
    api = apiRequests(cluster!);
    await api.post('/api/v1/namespaces', { metadata: { name: namespace } });
    expect(await api.post(path, flow(original))).toMatchObject({ message: '', status: 201 });
  });
  afterAll(async () => {
    await api.delete(`/api/v1/namespaces/${namespace}`);
    await api.close();
  });

  describe('that has started', () => {
    beforeEach(async () => {
      expect((await start('2026-11-21T10:00:00Z')).message).toBe('');
    });

    it.each(refused)('refuses %s', async (_rule, spec) => {
      const answer = await change(spec);
      expect(answer.status).toBe(422);
      expect(answer.message).toMatch(/frozen once the flow has started/);
    });

    it.each(accepted)('takes a change of %s', async (_rule, spec) => {
      expect(await change(spec)).toMatchObject({ status: 200, message: '' });
    });
  });

  describe('that has not started', () => {
    beforeEach(async () => {
      expect((await start(null)).message).toBe('');
    });

    it.each([...refused, ...accepted])('takes a change: %s', async (_rule, spec) => {
      expect(await change(spec)).toMatchObject({ status: 200, message: '' });
    });
  });
});
