import { expect, it } from 'vitest';
import { readConfiguration } from '#shared/runtime/process/configuration.ts';
import Type from 'typebox';
import { defaultKueueSettings, kueueSettings, kueueSettingsOf } from './kueue-settings.ts';

const settingsBy = (environment: Readonly<Record<string, string>>) =>
  kueueSettingsOf(readConfiguration(Type.Object({ ...kueueSettings }), environment));

it('are those of Kueue without a word', () => {
  expect(settingsBy({})).toEqual(defaultKueueSettings);
  expect(defaultKueueSettings).toEqual({
    frameworks: new Set([
      'Job.v1.batch',
      'JobSet.v1alpha2.jobset.x-k8s.io',
      'JobFlow.v1alpha1.api.practice.com',
      'DaemonJob.v1alpha1.api.practice.com',
      'AppWrapper.v1beta2.workload.codeflare.dev',
    ]),
    managesUnlabelled: false,
    namespaces: {
      matchExpressions: [
        {
          key: 'kubernetes.io/metadata.name',
          operator: 'NotIn',
          values: ['kube-system', 'kueue-system'],
        },
      ],
    },
  });
});

it('pass over a comma too many', () => {
  const { frameworks } = settingsBy({ MILLRACE_KUEUE_FRAMEWORKS: 'Job.v1.batch, ,' });
  expect([...frameworks]).toEqual(['Job.v1.batch']);
});

it('settings are written in the words of the configuration of Kueue', () => {
  const settings = settingsBy({
    MILLRACE_KUEUE_FRAMEWORKS: 'Job.v1.batch, JobFlow.v1alpha1.api.practice.com',
    MILLRACE_KUEUE_MANAGE_JOBS_WITHOUT_QUEUE_NAME: 'true',
    MILLRACE_KUEUE_MANAGED_JOBS_NAMESPACE_SELECTOR: '{"matchLabels":{"team":"a"}}',
  });
  expect(settings).toEqual({
    frameworks: new Set(['Job.v1.batch', 'JobFlow.v1alpha1.api.practice.com']),
    managesUnlabelled: true,
    namespaces: { matchLabels: { team: 'a' } },
  });
});

it.each<[string, Readonly<Record<string, string>>, string]>([
  [
    'no framework',
    { MILLRACE_KUEUE_FRAMEWORKS: 'batch/job' },
    'MILLRACE_KUEUE_FRAMEWORKS: "batch/job" is not Kind.version.group',
  ],
  ...['Job.v1', 'Job.v1.', 'my-job.v1.batch', 'x Job.v1.batch'].map(
    (name): [string, Readonly<Record<string, string>>, string] => [
      `no framework: ${name}`,
      { MILLRACE_KUEUE_FRAMEWORKS: name },
      `MILLRACE_KUEUE_FRAMEWORKS: "${name}" is not Kind.version.group`,
    ],
  ),
  [
    'everything at once',
    { MILLRACE_KUEUE_FRAMEWORKS: 'x', MILLRACE_KUEUE_MANAGED_JOBS_NAMESPACE_SELECTOR: 'y' },
    '"x" is not Kind.version.group; MILLRACE_KUEUE_MANAGED_JOBS_NAMESPACE_SELECTOR: this is no LabelSelector as JSON',
  ],
  [
    'a misspelt selector beside one that is not',
    { MILLRACE_KUEUE_MANAGED_JOBS_NAMESPACE_SELECTOR: '{"matchLabels":{},"matchLables":{}}' },
    'no LabelSelector',
  ],
  [
    'a selector of another shape',
    { MILLRACE_KUEUE_MANAGED_JOBS_NAMESPACE_SELECTOR: '{"matchLabels":"all"}' },
    'no LabelSelector',
  ],
  ['no JSON', { MILLRACE_KUEUE_MANAGED_JOBS_NAMESPACE_SELECTOR: 'team=a' }, 'no LabelSelector'],
  [
    'a misspelt selector',
    { MILLRACE_KUEUE_MANAGED_JOBS_NAMESPACE_SELECTOR: '{"matchLables":{}}' },
    'no LabelSelector',
  ],
  ['null', { MILLRACE_KUEUE_MANAGED_JOBS_NAMESPACE_SELECTOR: 'null' }, 'no LabelSelector'],
])('name a fault: %s', (_, environment, words) => {
  expect(() => settingsBy(environment)).toThrow(words);
});
