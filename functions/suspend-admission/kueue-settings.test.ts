import { expect, it } from 'vitest';
import { readConfiguration } from '#shared/runtime/process/configuration.ts';
import Type from 'typebox';
import { defaultKueueSettings, kueueSettings, kueueSettingsOf } from './kueue-settings.ts';

const settingsBy = (environment: Readonly<Record<string, string>>) =>
  kueueSettingsOf(readConfiguration(Type.Object({ ...kueueSettings }), environment));

it('are those of Kueue without a word', () => {
  expect(settingsBy({})).toEqual(defaultKueueSettings);
});

it('are told in the words of its configuration', () => {
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

it.each([
  [
    'no framework',
    { MILLRACE_KUEUE_FRAMEWORKS: 'batch/job' },
    '"batch/job" is not Kind.version.group',
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
