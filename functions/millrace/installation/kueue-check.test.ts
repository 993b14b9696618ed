import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { frameworkName, queuedKinds } from '#shared/api/work/queued-kinds.ts';
import type { Resource } from '#shared/domain/objects.ts';
import { kueueCheck } from './kueue-check.ts';

const ours = queuedKinds.map(frameworkName);
const image = (tag: string) => `registry.example.com:5000/kueue/kueue:${tag}`;

interface Kueue {
  readonly image?: string;
  readonly integrations?: object;
  readonly waitForPodsReady?: object;
  /** Plurals of kinds with an object in a queue. */
  readonly queued?: readonly string[];
}

function check(kueue?: Kueue) {
  const { queued = [] } = kueue ?? {};
  const found: Readonly<Record<string, object | undefined>> = {
    Deployment: kueue && {
      spec: { template: { spec: { containers: [{ name: 'manager', image: kueue.image }] } } },
    },
    ConfigMap: kueue?.integrations && {
      data: {
        'controller_manager_config.yaml': stringify({
          integrations: kueue.integrations,
          waitForPodsReady: kueue.waitForPodsReady,
        }),
      },
    },
  };
  return kueueCheck({
    get: ({ kind }: Resource) => Promise.resolve(found[kind] as never),
    list: ({ plural }: Resource) =>
      Promise.resolve({ items: queued.includes(plural) ? [{}] : [] } as never),
  });
}

it('says nothing against a cluster without Kueue', async () => {
  expect(await check()).toMatchObject({ isGood: true, detail: 'does not run in kueue-system' });
});

it.each([
  ['v0.17.8', false, '0.17.8 is not supported; Millrace needs 0.18 or newer'],
  ['v0.18.0', true, '0.18.0 is supported; its configuration was not found'],
  ['v1.0.0', true, '1.0.0 is supported; its configuration was not found'],
  ['main', true, 'is there, its version is not known; its configuration was not found'],
])('reads the version from the tag of the image: %s', async (tag, isGood, detail) => {
  expect(await check({ image: image(tag) })).toMatchObject({ isGood, detail });
});

it('names the kinds that wait in queues and are not registered, and how to register them', async () => {
  const integrations = { externalFrameworks: ['DaemonJob.v1alpha1.api.practice.com'] };
  const kueue = { image: image('v0.19.2'), integrations };
  expect(await check({ ...kueue, queued: ['jobflows', 'daemonjobs'] })).toMatchObject({
    isGood: false,
    detail:
      'add to integrations.externalFrameworks of its configuration: JobFlow.v1alpha1.api.practice.com',
  });
  expect(await check(kueue)).toMatchObject({ isGood: true, detail: '0.19.2 is supported' });
});

it('is content where all kinds are registered', async () => {
  const queued = queuedKinds.map(({ resource }) => resource.plural);
  const found = await check({
    ...{ image: image('v0.19.2'), queued },
    integrations: { externalFrameworks: ours },
  });
  expect(found).toMatchObject({ isGood: true, detail: '0.19.2 is supported' });
});

it('warns of the AppWrappers that Kueue would make Workloads of as well', async () => {
  const integrations = {
    frameworks: ['batch/job', 'workload.codeflare.dev/appwrapper'],
    externalFrameworks: ours,
  };
  expect(await check({ image: image('v0.19.2'), integrations })).toMatchObject({
    isGood: false,
    detail: expect.stringContaining(
      'take it out of integrations.frameworks of its configuration',
    ) as string,
  });
});

it.each([
  [{ timeout: '2m' }, '0.19.2 is supported; its waitForPodsReady.timeout (2m) is shorter than the'],
  [{ timeout: '5m0s' }, '0.19.2 is supported'],
  [{ enable: false, timeout: '2m' }, '0.19.2 is supported'],
])(
  'a Kueue that is less patient than AppWrappers is reported: %o',
  async (waitForPodsReady, words) => {
    const integrations = { externalFrameworks: ours };
    const { isGood, detail } = await check({
      ...{ image: image('v0.19.2'), integrations, waitForPodsReady },
    });
    expect(isGood).toBe(true);
    expect(detail.startsWith(words)).toBe(true);
    expect(detail.includes('evicts')).toBe(words.includes('shorter'));
  },
);
