import {
  bad,
  daemonJob,
  good,
  otherwiseAppliedServerSide,
  podSpec,
  withDaemonJobSpec,
  type Loose,
  type VerdictCase,
} from './verdict-case.ts';

const withTemplate = (template: Loose): Loose => daemonJob({ template });
const withParams = (globalParams: Loose): Loose => withDaemonJobSpec({ globalParams });

export const goodDaemonJobCases: readonly VerdictCase[] = [
  good('a DaemonJob with nothing but a template', withDaemonJobSpec({})),
  good(
    'every field of a DaemonJob that ends',
    withDaemonJobSpec({
      globalParams: {
        env: [{ name: 'FOO', value: 'bar' }],
        annotations: { key1: 'value1' },
        labels: { key1: 'value1' },
      },
      excludeNodeList: ' node1 ,,node2, ',
      backoffLimit: 2,
      podFailurePolicy: {
        rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }],
      },
      podReplacementPolicy: 'Failed',
      parallelism: 3,
      failurePolicy: 'FailFast',
      completionPolicy: 'Always',
      eligibility: 'All',
      allowEmpty: true,
      suspend: true,
      paused: true,
      activeDeadlineSeconds: 600,
      ttlSecondsAfterFinished: 0,
    }),
  ),
  good('a DaemonJob that never ends', withDaemonJobSpec({ completionPolicy: 'Never' })),
  good('a parallelism of one percent', withDaemonJobSpec({ parallelism: '1%' })),
  good('a parallelism of all nodes', withDaemonJobSpec({ parallelism: '100%' })),
  good('an empty list of excluded nodes', withDaemonJobSpec({ excludeNodeList: '' })),
  good(
    'a DaemonJob with restartPolicy OnFailure',
    withTemplate({ spec: { ...podSpec, restartPolicy: 'OnFailure' } }),
  ),
  good(
    'fields of its Pod that this version does not know',
    withTemplate({ metadata: { labels: { app: 'x' } }, spec: { ...podSpec, futureField: [1] } }),
  ),
  otherwiseAppliedServerSide(
    good(
      'null where a field of a DaemonJob may be absent',
      withDaemonJobSpec({ parallelism: null, globalParams: null, ttlSecondsAfterFinished: null }),
    ),
  ),
  good(
    'a DaemonJob with a generated name',
    daemonJob({ template: { spec: podSpec } }, { generateName: 'example-' }),
  ),
];

export const badDaemonJobCases: readonly VerdictCase[] = [
  bad('a DaemonJob without a template', 'spec.template', daemonJob({})),
  bad('a DaemonJob without a Pod', 'spec.template.spec', withTemplate({})),
  bad(
    'a DaemonJob with a Job where its Pod should be',
    'spec.template.template',
    withTemplate({ spec: podSpec, template: { spec: podSpec } }),
  ),
  bad(
    'a DaemonJob whose name is no DNS label',
    'metadata.name',
    daemonJob({ template: { spec: podSpec } }, { name: 'a.b' }),
  ),
  bad('an unknown field of a DaemonJob', 'spec.exclude', withDaemonJobSpec({ exclude: 'node1' })),
  bad(
    'excluded nodes as a list',
    'spec.excludeNodeList',
    withDaemonJobSpec({ excludeNodeList: ['node1'] }),
  ),
  bad('a parallelism of zero', 'spec.parallelism', withDaemonJobSpec({ parallelism: 0 })),
  bad(
    'a parallelism of zero percent',
    'spec.parallelism',
    withDaemonJobSpec({ parallelism: '0%' }),
  ),
  bad('a parallelism above all', 'spec.parallelism', withDaemonJobSpec({ parallelism: '101%' })),
  bad(
    'a parallelism that is a number as text',
    'spec.parallelism',
    withDaemonJobSpec({ parallelism: '3' }),
  ),
  bad('half a Job at once', 'spec.parallelism', withDaemonJobSpec({ parallelism: 0.5 })),
  bad('a parallelism that is true', 'spec.parallelism', withDaemonJobSpec({ parallelism: true })),
  bad(
    'an unknown failure policy of a DaemonJob',
    'spec.failurePolicy',
    withDaemonJobSpec({ failurePolicy: 'Stop' }),
  ),
  bad(
    'an unknown completion policy',
    'spec.completionPolicy',
    withDaemonJobSpec({ completionPolicy: 'Once' }),
  ),
  bad('an unknown eligibility', 'spec.eligibility', withDaemonJobSpec({ eligibility: 'Any' })),
  bad(
    'an unknown replacement policy',
    'spec.podReplacementPolicy',
    withDaemonJobSpec({ podReplacementPolicy: 'Never' }),
  ),
  bad(
    'a negative limit of failed Pods',
    'spec.backoffLimit',
    withDaemonJobSpec({ backoffLimit: -1 }),
  ),
  bad(
    'a shutdown of a DaemonJob that is no word for one',
    'spec.shutdown',
    withDaemonJobSpec({ shutdown: 'Cancel' }),
  ),
  bad(
    'a deadline of zero',
    'spec.activeDeadlineSeconds',
    withDaemonJobSpec({ activeDeadlineSeconds: 0 }),
  ),
  bad(
    'a negative TTL of a DaemonJob',
    'spec.ttlSecondsAfterFinished',
    withDaemonJobSpec({ ttlSecondsAfterFinished: -1 }),
  ),
  bad(
    'a TTL of a DaemonJob that never ends',
    'spec',
    withDaemonJobSpec({ completionPolicy: 'Never', ttlSecondsAfterFinished: 60 }),
  ),
  bad(
    'a deadline of a DaemonJob that never ends',
    'spec',
    withDaemonJobSpec({ completionPolicy: 'Never', activeDeadlineSeconds: 60 }),
  ),
  bad(
    'one node for all Jobs of a DaemonJob',
    'spec.globalParams.nodeName',
    withParams({ nodeName: 'x' }),
  ),
  bad(
    'a reserved label of a DaemonJob',
    'spec.globalParams.labels',
    withParams({ labels: { 'millrace.dev/x': 'y' } }),
  ),
  bad(
    'a variable twice in a DaemonJob',
    'spec.globalParams.env[1]',
    withParams({ env: [{ name: 'A' }, { name: 'A' }] }),
  ),
  bad(
    'a reserved label of its Pod',
    'spec.template.metadata.labels',
    withTemplate({ metadata: { labels: { 'millrace.dev/x': 'y' } }, spec: podSpec }),
  ),
];

/** The spec of a DaemonJob that has started. */
export const startedDaemonJobSpec: Loose = {
  globalParams: { env: [{ name: 'FOO', value: 'bar' }], labels: { key1: 'value1' } },
  excludeNodeList: 'node1',
  template: { metadata: { labels: { app: 'x' } }, spec: { ...podSpec, futureField: 1 } },
  backoffLimit: 1,
  podFailurePolicy: { rules: [] },
};

/** A merge patch on the spec, with a description. */
type Change = readonly [rule: string, change: Loose];

const template = (spec: Loose): Loose => ({ template: { spec } });

/** Refused once the DaemonJob has started. */
export const frozenDaemonJobChanges: readonly Change[] = [
  ['another image', template({ containers: [{ name: 'main', image: 'x' }] })],
  ['hostPID', template({ hostPID: true })],
  ['another value of a Pod field that the CRD does not know', template({ futureField: 2 })],
  ['another label of its Pods', { template: { metadata: { labels: { app: 'y' } } } }],
  ['another variable', { globalParams: { env: [{ name: 'FOO', value: 'baz' }] } }],
  ['no global parameters', { globalParams: null }],
  ['another limit of failed Pods', { backoffLimit: 2 }],
  ['no failure policy of its Pods', { podFailurePolicy: null }],
  ['another replacement policy', { podReplacementPolicy: 'Failed' }],
  ['another eligibility', { eligibility: 'All' }],
  ['another completion policy', { completionPolicy: 'Never' }],
];

/** Accepted at any time. */
export const openDaemonJobChanges: readonly Change[] = [
  ['suspend', { suspend: true }],
  ['paused', { paused: true }],
  ['excludeNodeList', { excludeNodeList: 'node1, node2' }],
  ['no excludeNodeList', { excludeNodeList: null }],
  ['parallelism', { parallelism: '10%' }],
  ['failurePolicy', { failurePolicy: 'Pause' }],
  ['allowEmpty', { allowEmpty: true }],
  ['shutdown', { shutdown: 'Stop' }],
  ['activeDeadlineSeconds', { activeDeadlineSeconds: 60 }],
  ['ttlSecondsAfterFinished', { ttlSecondsAfterFinished: 60 }],
];
