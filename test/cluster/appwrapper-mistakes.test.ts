/** Mistakes of users and administrators with AppWrappers: each has to be reported, and nothing may hang. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { AppWrapperPhase } from '#shared/api/app-wrapper.ts';
import { apiVersionOf, type JsonObject, type Resource } from '#shared/domain/objects.ts';
import { wrapperAnnotations } from '#shared/domain/wrapper-keys.ts';
import { kubectlOrThrow } from '#test/support/control-plane/kubectl.ts';
import { describeFlows } from '#test/support/flow-suite.ts';
import { type FlowWorld, untilEnded } from '#test/support/flow-world.ts';
import { holdQuota } from '#test/support/held-quota.ts';
import { nameOf } from '#test/support/wrappers/played-operators.ts';
import { definitionOf } from '#test/support/wrappers/played-kinds.ts';
import {
  appWrapper,
  statusOf,
  wrappedJob,
  wrappedPod,
  wrappedService,
} from '#test/support/wrappers/wrapper-manifests.ts';
import {
  untilNothingIsLeftOf,
  untilWrapperIs,
  untilWrapperIsGone,
  wrapperOf,
} from '#test/support/wrappers/wrapper-waits.ts';

const patience = { timeout: 90_000, interval: 200 };
const settings = {
  ...{ admissionGracePeriodDuration: '2s', retryPausePeriodDuration: '0s', retryLimit: '0' },
};

const ofKind = (kind: string): Resource => ({
  ...{ group: 'example.com', version: 'v1', plural: `${kind.toLowerCase()}s`, kind },
  namespaced: true,
});
const gadget = (resource: Resource) => ({
  ...{ apiVersion: apiVersionOf(resource), kind: resource.kind },
  ...{ metadata: { name: 'gadget' }, spec: {} },
});

const rbac = 'rbac.authorization.k8s.io';
/** The rights that an administrator grants for a kind; incomplete grants are the mistake. */
const granted = (resource: Resource, verbs: readonly string[]): readonly object[] => {
  const metadata = { name: `wraps-${resource.plural}` };
  const rules = [{ apiGroups: [resource.group], resources: [resource.plural], verbs }];
  const users = ['appwrapper-lifecycle', 'bridge'];
  return [
    { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata, rules },
    {
      ...{ apiVersion: `${rbac}/v1`, kind: 'ClusterRoleBinding', metadata },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: metadata.name },
      subjects: users.map((name) => ({ apiGroup: rbac, kind: 'User', name })),
    },
  ];
};
const keepable = ofKind('Keepable');
const unmakable = ofKind('Unmakable');
const vanishing = ofKind('Vanishing');
/** Stored in another version than it is wrapped in. */
const converted = ofKind('Converted');
const reads = ['get', 'list', 'watch'];
function convertedDefinition(): object {
  const { spec, ...rest } = definitionOf(converted) as { readonly spec: JsonObject };
  const [served] = spec['versions'] as readonly JsonObject[];
  const versions = [
    { ...served, storage: false },
    { ...served, name: 'v2' },
  ];
  const service = { namespace: 'default', name: 'absent' };
  const webhook = { conversionReviewVersions: ['v1'], clientConfig: { service } };
  return { ...rest, spec: { ...spec, versions, conversion: { strategy: 'Webhook', webhook } } };
}

const kinds = [keepable, unmakable, vanishing, converted];
const installed = [
  ...[keepable, unmakable, vanishing].map(definitionOf),
  convertedDefinition(),
  ...granted(keepable, [...reads, 'create']),
  ...granted(unmakable, [...reads, 'delete']),
  ...granted(vanishing, [...reads, 'create', 'delete']),
  ...granted(converted, [...reads, 'create', 'delete']),
];

/** A condition of the AppWrapper and a warning about it both say so. */
async function untilReported(
  world: FlowWorld,
  name: string,
  [type, reason]: readonly [type: string, reason: string],
  words: string,
): Promise<void> {
  await vi.waitFor(async () => {
    const { conditions = [] } = statusOf(await wrapperOf(world, name));
    const found = conditions.find((each) => each.type === type);
    expect({ ...found }, JSON.stringify(conditions)).toMatchObject({ status: 'True', reason });
    expect(found?.message).toContain(words);
    const events = await world.events();
    const warnings = events.filter((each) => each.involvedObject?.name === name);
    expect(warnings.map(({ message }) => message)).toContainEqual(expect.stringContaining(words));
  }, patience);
}

const running = { runFor: untilEnded };
const noPods = { resource: 'pods', most: 0, trial: wrappedPod('trial') };
const namesIn = async (world: FlowWorld, kinds = 'pods,jobs,services') =>
  (await world.kubectl(['get', kinds, '-o', 'name'])).split('\n').filter((name) => name !== '');

describeFlows('an AppWrapper', (suite) => {
  // Nothing else could list the kind.
  afterAll(async () => {
    await kubectlOrThrow(suite.cluster.kubectl, ['delete', 'crd', nameOf(converted)]);
  });
  beforeAll(async () => {
    const { kubectl } = suite.cluster;
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: installed });
    await kubectlOrThrow(kubectl, ['apply', '-f', '-'], { input });
    const names = kinds.map((each) => `crd/${nameOf(each)}`);
    const wait = ['wait', '--for=condition=Established', '--timeout=60s'];
    await kubectlOrThrow(kubectl, [...wait, ...names]);
  });

  it.concurrent('names the resource that Millrace may not delete, until it is gone', async () => {
    const world = await suite.world('keepable');
    await world.apply(appWrapper('kept', [wrappedPod('pod', running), gadget(keepable)]));
    await untilWrapperIs(world, 'kept', 'Running');
    await world.delete('AppWrapper', 'kept');
    const words = 'Keepable gadget cannot be deleted: keepables.example.com "gadget" is forbidden';
    await untilReported(world, 'kept', ['DeletingResources', 'DeletionRefused'], words);
    await vi.waitFor(async () => expect(await namesIn(world)).toEqual([]), patience);
    await world.kubectl(['delete', nameOf(keepable), 'gadget']);
    await untilWrapperIsGone(world, 'kept');
  });

  it.concurrent('names the resource that Millrace may not create', async () => {
    const world = await suite.world('unmakable');
    const templates = [wrappedPod('pod', running), gadget(unmakable)];
    await world.apply(appWrapper('unmade', templates, { settings }));
    const words = 'Unmakable gadget cannot be created: unmakables.example.com is forbidden';
    await untilReported(world, 'unmade', ['Unhealthy', 'CreateFailed'], words);
    await untilNothingIsLeftOf(world, 'unmade');
  });

  it.concurrent('fails when the definition of a kind is removed', async () => {
    const world = await suite.world('vanishing');
    await world.apply(appWrapper('lost', [wrappedPod('pod', running), gadget(vanishing)]));
    await untilWrapperIs(world, 'lost', 'Running');
    await world.kubectl(['delete', 'crd', nameOf(vanishing)]);
    await untilReported(world, 'lost', ['Unhealthy', 'MissingComponent'], 'Vanishing gadget');
    await untilNothingIsLeftOf(world, 'lost');
  });

  it.concurrent('names the finalizer of a resource that is deleted too early', async () => {
    const world = await suite.world('early');
    await holdQuota(world, { name: 'none', ...noPods });
    const metadata = { name: 'service', finalizers: ['example.com/keeps'] };
    const service = { ...wrappedService('service'), metadata };
    await world.apply(
      appWrapper('early', [service, wrappedPod('pod')], {
        settings: { ...settings, admissionGracePeriodDuration: '1h' },
      }),
    );
    await vi.waitFor(async () => expect(await namesIn(world)).toHaveLength(1), patience);
    await world.kubectl(['delete', 'service', 'service', '--wait=false']);
    await vi.waitFor(async () => {
      const { componentStatus: [first] = [] } = statusOf(await wrapperOf(world, 'early'));
      expect(first?.conditions?.[0]?.message).toContain('it was deleted');
    }, patience);
    const shorter = { [wrapperAnnotations.admissionGrace]: '2s' };
    await world.patch('AppWrapper', 'early', { metadata: { annotations: shorter } });
    const words = 'Service service cannot be created: it was deleted, and has to be gone first';
    await untilReported(world, 'early', ['Unhealthy', 'CreateFailed'], words);
    const free = ['--type=merge', '-p', '{"metadata":{"finalizers":null}}'];
    await world.kubectl(['patch', 'service', 'service', ...free]);
    await untilNothingIsLeftOf(world, 'early');
  });

  it.concurrent('leaves its resources alone when it is deleted with orphans', async () => {
    const world = await suite.world('orphans');
    const templates = [
      ...[wrappedPod('pod', running), wrappedJob('job', running), wrappedService('service')],
    ];
    const graces = { ...settings, forcefulDeletionGracePeriodDuration: '0s' };
    await world.apply(appWrapper('left', templates, { settings: graces }));
    await untilWrapperIs(world, 'left', 'Running');
    const { metadata } = await world.untilRunning('job');
    await world.delete('AppWrapper', 'left', 'Orphan');
    await untilWrapperIsGone(world, 'left');
    expect(await namesIn(world)).toEqual([
      ...[`pod/${metadata.name}`, 'pod/pod', 'job.batch/job', 'service/service'],
    ]);
    const path = 'jsonpath={.items[*].metadata.deletionTimestamp}';
    expect(await world.kubectl(['get', 'pods,jobs,services', '-o', path])).toBe('');
  });

  it.concurrent('lets go of a resource that another owner took from it', async () => {
    const world = await suite.world('taken');
    const graces = { ...settings, forcefulDeletionGracePeriodDuration: '0s' };
    const templates = [wrappedJob('job', running), wrappedService('service')];
    await world.apply(appWrapper('robbed', templates, { settings: graces }));
    await untilWrapperIs(world, 'robbed', 'Running');
    const { metadata } = await world.untilRunning('job');
    const taken = ['--type=merge', '-p', '{"metadata":{"ownerReferences":null}}'];
    await world.kubectl(['patch', 'job', 'job', ...taken]);
    const words = 'Job job no longer has the AppWrapper as its controller';
    await untilReported(world, 'robbed', ['Unhealthy', 'MissingComponent'], words);
    await untilNothingIsLeftOf(world, 'robbed');
    expect(await namesIn(world)).toEqual([`pod/${metadata.name}`, 'job.batch/job']);
  });

  it.concurrent('runs when the quota of its namespace is raised within the grace', async () => {
    const world = await suite.world('raised');
    await holdQuota(world, { name: 'pods', ...noPods });
    const patient = { ...settings, admissionGracePeriodDuration: '1m' };
    await world.apply(appWrapper('waits', [wrappedPod('pod', running)], { settings: patient }));
    await vi.waitFor(async () => {
      const { componentStatus: [pod] = [] } = statusOf(await wrapperOf(world, 'waits'));
      expect(pod?.conditions?.[0]?.message).toContain('exceeded quota: pods');
    }, patience);
    const more = ['--type=merge', '-p', '{"spec":{"hard":{"pods":"1"}}}'];
    await world.kubectl(['patch', 'quota', 'pods', ...more]);
    await untilWrapperIs(world, 'waits', 'Running');
  });

  it.concurrent.each<[string, (world: FlowWorld) => Promise<object>, string]>([
    [
      'has a name in use',
      async (world) => {
        await world.kubectl(['create', 'service', 'clusterip', 'service', '--tcp=80']);
        return appWrapper('fails', [wrappedService('service')], { settings });
      },
      'exists and has another owner',
    ],
    [
      'has a name that a finalizer keeps',
      async (world) => {
        await world.kubectl(['create', 'service', 'clusterip', 'service', '--tcp=80']);
        const keep = ['--type=merge', '-p', '{"metadata":{"finalizers":["example.com/keeps"]}}'];
        await world.kubectl(['patch', 'service', 'service', ...keep]);
        await world.kubectl(['delete', 'service', 'service', '--wait=false']);
        return appWrapper('fails', [wrappedService('service')], { settings });
      },
      'which is being deleted (finalizers example.com/keeps)',
    ],
    [
      'contradicts the placement of Kueue',
      () => {
        const { spec, ...rest } = appWrapper('fails', [], { settings });
        const template = wrappedPod('pod', { pod: { nodeSelector: { pool: 'mine' } } });
        const components = [{ template, podSetInfos: [{ nodeSelector: { pool: 'spot' } }] }];
        return Promise.resolve({ ...rest, spec: { ...(spec as object), components } });
      },
      'has pool="mine", and podSetInfos[0] assigns "spot"',
    ],
    [
      'has the kind and name of another one',
      () => {
        const twins = [wrappedPod('pod', running), wrappedPod('pod', running)];
        return Promise.resolve(appWrapper('fails', twins, { settings }));
      },
      'spec.components[0] has the same kind and name',
    ],
  ])('fails with the cause when a resource %s', async (mistake, made, words) => {
    const world = await suite.world(mistake.toLowerCase().replaceAll(' ', '-'));
    await world.apply((await made(world)) as ReturnType<typeof appWrapper>);
    await untilReported(world, 'fails', ['Unhealthy', 'CreateFailed'], words);
    await untilNothingIsLeftOf(world, 'fails');
    await world.delete('AppWrapper', 'fails');
    await untilWrapperIsGone(world, 'fails');
  });

  it.concurrent('ends as its last suspension says, however often it changes', async () => {
    const world = await suite.world('toggled');
    const templates = [wrappedPod('pod', running), wrappedService('service')];
    await world.apply(appWrapper('toggled', templates, { suspend: true }));
    const suspended = (suspend: boolean) =>
      world.patch('AppWrapper', 'toggled', { spec: { suspend } });
    for (let times = 0; times < 10; times += 1) {
      await suspended(false);
      await suspended(true);
    }
    await suspended(false);
    await untilWrapperIs(world, 'toggled', 'Running');
    await vi.waitFor(async () => expect(await namesIn(world)).toHaveLength(2), patience);
    await suspended(true);
    await suspended(false);
    await suspended(true);
    await untilWrapperIs(world, 'toggled', 'Suspended');
    expect(await namesIn(world)).toEqual([]);
  });

  const templates = [wrappedPod('pod', { exitCode: 1 }), wrappedService('service')];
  const faulty = { failureGracePeriodDuration: '0s', retryPausePeriodDuration: '1h' };
  const lasting = { deletionOnFailureGracePeriodDuration: '1h' };
  it.concurrent.each<[AppWrapperPhase, ReturnType<typeof appWrapper>]>([
    ['Suspended', appWrapper('cut', templates, { suspend: true })],
    ['Resuming', appWrapper('cut', [...templates, wrappedJob('job')])],
    ['Resetting', appWrapper('cut', templates, { settings: faulty })],
    [
      'Failed',
      appWrapper('cut', templates, { settings: { ...faulty, ...lasting, retryLimit: '0' } }),
    ],
    ['Succeeded', appWrapper('cut', [wrappedService('service')])],
  ])('is gone with all of it when it is deleted in the phase %s', async (phase, manifest) => {
    const world = await suite.world(phase.toLowerCase());
    if (phase === 'Resuming') {
      const trial = wrappedJob('trial');
      await holdQuota(world, { name: 'a', resource: 'count/jobs.batch', most: 0, trial });
    }
    await world.apply(manifest);
    await untilWrapperIs(world, 'cut', phase);
    await world.delete('AppWrapper', 'cut');
    await untilWrapperIsGone(world, 'cut');
    expect(await namesIn(world)).toEqual([]);
  });

  it.concurrent('names the conversion webhook that does not answer', async () => {
    const world = await suite.world('converted');
    await world.apply(appWrapper('fails', [gadget(converted)], { settings }));
    const words = 'conversion webhook for example.com/v1, Kind=Converted failed';
    await untilReported(world, 'fails', ['Unhealthy', 'CreateFailed'], words);
    await untilNothingIsLeftOf(world, 'fails');
  });

  it.concurrent('names the resource that it cannot read', async () => {
    const world = await suite.world('write-only');
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'LocalSubjectAccessReview' };
    const template = { ...review, metadata: { name: 'asks' }, spec: {} };
    await world.apply(appWrapper('fails', [template], { settings }));
    const words = 'LocalSubjectAccessReview asks cannot be created: Millrace cannot read it';
    await untilReported(world, 'fails', ['Unhealthy', 'CreateFailed'], words);
    await untilNothingIsLeftOf(world, 'fails');
  });

  it.concurrent('is gone with its namespace', async () => {
    const world = await suite.world('namespace');
    const templates = [
      ...[wrappedPod('pod', running), wrappedJob('job', running), wrappedService('service')],
    ];
    await world.apply(appWrapper('gone', templates));
    await untilWrapperIs(world, 'gone', 'Running');
    await world.kubectl(['delete', 'namespace', world.namespace, '--timeout=60s']);
  });
});
