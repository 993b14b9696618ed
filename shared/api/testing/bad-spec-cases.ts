import {
  bad,
  flow,
  jobTemplate,
  podSpec,
  step,
  template,
  withGlobalParams,
  withSpec,
  type Loose,
  type VerdictCase,
} from './verdict-case.ts';

const shared = { name: 'shared', emptyDir: {} };
const params = 'spec.globalParams';
const labels = (map: Loose) => withGlobalParams({ labels: map });
const env = (...list: readonly Loose[]) => withGlobalParams({ env: list });

export const badSpecCases: readonly VerdictCase[] = [
  bad('no spec', 'spec', { ...flow({}), spec: undefined }),
  bad('a spec that is text', 'spec', flow('x')),
  bad('an unknown field of the spec', 'spec.flow', withSpec({ flow: [] })),
  bad('an unknown failure policy', 'spec.failurePolicy', withSpec({ failurePolicy: 'failfast' })),
  bad('a suspend that is text', 'spec.suspend', withSpec({ suspend: 'true' })),
  bad('an unknown suspend mode', 'spec.suspendMode', withSpec({ suspendMode: 'Kill' })),
  bad('an unknown template policy', 'spec.templatePolicy', withSpec({ templatePolicy: '' })),
  bad('a negative TTL', 'spec.ttlSecondsAfterFinished', withSpec({ ttlSecondsAfterFinished: -1 })),
  bad(
    'a start deadline of zero',
    'spec.startDeadlineSeconds',
    withSpec({ startDeadlineSeconds: 0 }),
  ),

  bad(
    'an unknown node binding',
    `${params}.nodeBinding`,
    withGlobalParams({ nodeBinding: 'direct' }),
  ),
  bad('an unknown field of globalParams', `${params}.node`, withGlobalParams({ node: 'x' })),
  bad('a reserved label', `${params}.labels`, labels({ 'millrace.dev/flow': 'x' })),
  bad('a label key with a blank', `${params}.labels`, labels({ 'a b': 'x' })),
  bad('a label key with two slashes', `${params}.labels`, labels({ 'a/b/c': 'x' })),
  bad('a label value with a blank', `${params}.labels`, labels({ a: 'x y' })),
  bad('a label value of 64 characters', `${params}.labels.a`, labels({ a: 'x'.repeat(64) })),
  bad('a label value that is a number', `${params}.labels.a`, labels({ a: 1 })),
  bad(
    'a reserved annotation',
    `${params}.annotations`,
    withGlobalParams({ annotations: { 'millrace.dev/retry': 'x' } }),
  ),
  bad(
    'an annotation key that is none',
    `${params}.annotations`,
    withGlobalParams({ annotations: { '/x': 'y' } }),
  ),
  bad('a variable without a name', `${params}.env[0].name`, env({ value: 'x' })),
  bad('a variable that is set twice', `${params}.env[1]`, env({ name: 'A' }, { name: 'A' })),
  bad(
    'a variable with a value and a source',
    `${params}.env[0]`,
    env({ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }),
  ),
  bad('a variable whose value is a number', `${params}.env[0].value`, env({ name: 'A', value: 1 })),

  bad(
    'a volume without a name',
    'spec.shareVolumes[0].name',
    withSpec({ shareVolumes: [{ emptyDir: {} }] }),
  ),
  bad(
    'two volumes of one name',
    'spec.shareVolumes[1]',
    withSpec({ shareVolumes: [shared, shared] }),
  ),
  bad(
    'a mount without a path',
    'spec.shareVolumeMounts[0].mountPath',
    withSpec({ shareVolumes: [shared], shareVolumeMounts: [{ name: 'shared' }] }),
  ),
  bad(
    'two mounts at one path',
    'spec.shareVolumeMounts[1]',
    withSpec({
      shareVolumes: [shared, { name: 'other', emptyDir: {} }],
      shareVolumeMounts: [
        { name: 'shared', mountPath: '/data' },
        { name: 'other', mountPath: '/data' },
      ],
    }),
  ),
  bad(
    'a volume of a step with another source than the flow gives it',
    'spec.flows[0].shareVolumes[0]',
    flow({
      shareVolumes: [shared],
      flows: [step('a', { shareVolumes: [{ name: 'shared', hostPath: { path: '/' } }] })],
    }),
  ),

  bad('a flow of which no step may run', 'spec.parallelism', withSpec({ parallelism: 0 })),
  bad('a parallelism of a flow in percent', 'spec.parallelism', withSpec({ parallelism: '50%' })),
  bad(
    'a flow without any time',
    'spec.activeDeadlineSeconds',
    withSpec({ activeDeadlineSeconds: 0 }),
  ),
  bad('a shutdown that is no word for one', 'spec.shutdown', withSpec({ shutdown: 'Cancel' })),

  bad('a JobTemplate without a jobTemplate', 'spec.jobTemplate', template({})),
  bad(
    'a JobTemplate without a Pod template',
    'spec.jobTemplate.template',
    template({ jobTemplate: {} }),
  ),
  bad(
    'a JobTemplate with the Pod template one level too high',
    'spec.template',
    template(jobTemplate),
  ),
  bad(
    'a JobTemplate whose name is no object name',
    'metadata.name',
    template({ jobTemplate }, 'A_b'),
  ),
  bad(
    'a JobTemplate with a reserved label',
    'spec.jobTemplate.template.metadata.labels',
    template({
      jobTemplate: { template: { metadata: { labels: { 'millrace.dev/x': 'y' } }, spec: podSpec } },
    }),
  ),
];
