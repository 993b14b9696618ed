/** Changes of a started flow that the API server refuses or accepts. */
import { podSpec, step, type Loose } from './verdict-case.ts';

const container = (extra: Loose) => ({
  template: { spec: { containers: [{ name: 'main', image: 'busybox:1.28', ...extra }] } },
});
const metadata = { labels: { app: 'x' } };
/** The spec of a flow that has started. */
export const startedSpec = {
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
const [a, b] = startedSpec.flows as [Loose, Loose];
const jobOfB = b['jobTemplate'] as { template: { spec: Loose } };
const withB = (jobTemplate: unknown) => ({ flows: [a, { ...b, jobTemplate }] });
const withPodOfB = (spec: Loose) => withB({ ...jobOfB, template: { metadata, spec } });
const withGlobalParams = (change: Loose) => ({
  globalParams: { ...startedSpec.globalParams, ...change },
});

/** A merge patch on the spec, with a description. */
export type Change = readonly [rule: string, change: Loose];

/** Refused once the flow has started. */
export const frozenChanges: readonly Change[] = [
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
    withGlobalParams({ env: [...startedSpec.globalParams.env].reverse() }),
  ],
  [
    'another source of a variable',
    withGlobalParams({
      env: [
        startedSpec.globalParams.env[0],
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

/** Accepted at any time. */
export const openChanges: readonly Change[] = [
  ['suspend', { suspend: true }],
  ['suspendMode', { suspendMode: 'SchedulingOnly' }],
  ['ttlSecondsAfterFinished', { ttlSecondsAfterFinished: 60 }],
  ['failurePolicy', { failurePolicy: 'FailFast' }],
  ['startDeadlineSeconds', { startDeadlineSeconds: 60 }],
  ['parallelism', { parallelism: 3 }],
  ['activeDeadlineSeconds', { activeDeadlineSeconds: 60 }],
  ['shutdown', { shutdown: 'Terminate' }],
  ['the order of the steps', { flows: [b, a] }],
];

/** The status of that flow if `a` has succeeded and `b` has failed. */
const recordsOf = (b: string) => [
  { name: 'a', state: 'Succeed' },
  { name: 'b', state: b },
];
export const failedStatus = { state: 'Failed', jobStatusList: recordsOf('Failed') };

/** A status beside the start time, a merge patch on the spec, and whether it is accepted. */
export type Correction = readonly [
  rule: string,
  status: Loose,
  change: Loose,
  verdict: 'taken' | 'refused',
];

const mended = { ...b, jobTemplate: container({ command: ['true'] }) };
const corrected = { flows: [a, mended] };
const ofA = { flows: [{ ...a, jobTemplate: container({ command: ['false'] }) }, b] };

/** For a started flow. */
export const corrections: readonly Correction[] = [
  ['a step that failed', failedStatus, corrected, 'taken'],
  [
    'a step that was skipped',
    { ...failedStatus, jobStatusList: recordsOf('Skipped') },
    corrected,
    'taken',
  ],
  [
    'a step that failed, in another order of the steps',
    failedStatus,
    { flows: [mended, a] },
    'taken',
  ],
  [
    'the retry policy of a step that failed',
    failedStatus,
    { flows: [a, { ...b, retryPolicy: { limit: 1 } }] },
    'taken',
  ],
  [
    'a reference in place of a template of a step that failed',
    failedStatus,
    { flows: [a, { name: 'b', dependencies: ['a'], jobTemplateRef: 'x' }] },
    'taken',
  ],
  ['nothing but the order of the steps', failedStatus, { flows: [b, a] }, 'taken'],
  ['a step that succeeded', failedStatus, ofA, 'refused'],
  ['both steps', failedStatus, { flows: [ofA.flows[0], mended] }, 'refused'],
  [
    'the dependencies of a step that failed',
    failedStatus,
    { flows: [a, { ...mended, dependencies: [] }] },
    'refused',
  ],
  [
    'a step that failed, without its dependencies',
    failedStatus,
    { flows: [a, { name: 'b', jobTemplate: mended.jobTemplate }] },
    'refused',
  ],
  [
    'the name of a step that failed',
    failedStatus,
    { flows: [a, { ...mended, name: 'c' }] },
    'refused',
  ],
  [
    'a step that failed, and one step more',
    failedStatus,
    { flows: [a, mended, step('c')] },
    'refused',
  ],
  [
    'a step that failed, and one step less',
    failedStatus,
    { flows: [{ ...mended, dependencies: [] }] },
    'refused',
  ],
  [
    'a step that failed, and the global parameters',
    failedStatus,
    { ...corrected, globalParams: null },
    'refused',
  ],
  [
    'a step that failed, and the template policy',
    failedStatus,
    { ...corrected, templatePolicy: 'ResolveAtStep' },
    'refused',
  ],
  [
    'a step that failed while the flow runs',
    { ...failedStatus, state: 'Running' },
    corrected,
    'refused',
  ],
  [
    'a step of a flow that succeeded',
    { state: 'Succeed', jobStatusList: recordsOf('Succeed') },
    corrected,
    'refused',
  ],
  [
    'a step that runs',
    { ...failedStatus, jobStatusList: recordsOf('Running') },
    corrected,
    'refused',
  ],
  [
    'a step without an entry',
    { ...failedStatus, jobStatusList: recordsOf('Failed').slice(0, 1) },
    corrected,
    'refused',
  ],
  [
    'a step of a flow without entries',
    { state: 'Failed', jobStatusList: null },
    corrected,
    'refused',
  ],
];
