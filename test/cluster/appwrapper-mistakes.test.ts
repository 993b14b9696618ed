/** What users and administrators do to AppWrappers by mistake: each has to be reported, and nothing may hang. */
import { beforeAll, expect, it, vi } from 'vitest';
import { apiVersionOf, type Resource } from '#shared/domain/objects.ts';
import { kubectlOrThrow } from '#test/support/control-plane/kubectl.ts';
import { describeFlows } from '#test/support/flow-suite.ts';
import { type FlowWorld, untilEnded } from '#test/support/flow-world.ts';
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
/** What an administrator grants for a kind; incomplete grants are the mistake. */
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
const reads = ['get', 'list', 'watch'];
const installed = [
  ...[keepable, unmakable, vanishing].map(definitionOf),
  ...granted(keepable, [...reads, 'create']),
  ...granted(unmakable, [...reads, 'delete']),
  ...granted(vanishing, [...reads, 'create', 'delete']),
];

/** A condition of the AppWrapper and a warning about it both say so. */
async function untilTold(
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
const namesIn = async (world: FlowWorld, kinds = 'pods,jobs,services') =>
  (await world.kubectl(['get', kinds, '-o', 'name'])).split('\n').filter((name) => name !== '');

describeFlows('an AppWrapper', (suite) => {
  beforeAll(async () => {
    const { kubectl } = suite.cluster;
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: installed });
    await kubectlOrThrow(kubectl, ['apply', '-f', '-'], { input });
    const names = [keepable, unmakable, vanishing].map((each) => `crd/${nameOf(each)}`);
    const wait = ['wait', '--for=condition=Established', '--timeout=60s'];
    await kubectlOrThrow(kubectl, [...wait, ...names]);
  });

  it.concurrent('names the resource that Millrace may not delete, until it is gone', async () => {
    const world = await suite.world('keepable');
    await world.apply(appWrapper('kept', [wrappedPod('pod', running), gadget(keepable)]));
    await untilWrapperIs(world, 'kept', 'Running');
    await world.delete('AppWrapper', 'kept');
    const words = 'Keepable gadget cannot be deleted: keepables.example.com "gadget" is forbidden';
    await untilTold(world, 'kept', ['DeletingResources', 'DeletionRefused'], words);
    await vi.waitFor(async () => expect(await namesIn(world)).toEqual([]), patience);
    await world.kubectl(['delete', nameOf(keepable), 'gadget']);
    await untilWrapperIsGone(world, 'kept');
  });

  it.concurrent('names the resource that Millrace may not create', async () => {
    const world = await suite.world('unmakable');
    const templates = [wrappedPod('pod', running), gadget(unmakable)];
    await world.apply(appWrapper('unmade', templates, { settings }));
    const words = 'Unmakable gadget cannot be created: unmakables.example.com is forbidden';
    await untilTold(world, 'unmade', ['Unhealthy', 'CreateFailed'], words);
    await untilNothingIsLeftOf(world, 'unmade');
  });

  it.concurrent('fails when the definition of a kind is removed', async () => {
    const world = await suite.world('vanishing');
    await world.apply(appWrapper('lost', [wrappedPod('pod', running), gadget(vanishing)]));
    await untilWrapperIs(world, 'lost', 'Running');
    await world.kubectl(['delete', 'crd', nameOf(vanishing)]);
    await untilTold(world, 'lost', ['Unhealthy', 'MissingComponent'], 'Vanishing gadget');
    await untilNothingIsLeftOf(world, 'lost');
  });

  it.concurrent('names the finalizer of a resource that is deleted too early', async () => {
    const world = await suite.world('early');
    await world.kubectl(['create', 'quota', 'none', '--hard=pods=0']);
    const metadata = { name: 'service', finalizers: ['example.com/keeps'] };
    const service = { ...wrappedService('service'), metadata };
    await world.apply(
      appWrapper('early', [service, wrappedPod('pod')], {
        settings: { ...settings, admissionGracePeriodDuration: '10s' },
      }),
    );
    await vi.waitFor(async () => expect(await namesIn(world)).toHaveLength(1), patience);
    await world.kubectl(['delete', 'service', 'service', '--wait=false']);
    const words = 'Service service cannot be created: it was deleted, and has to be gone first';
    await untilTold(world, 'early', ['Unhealthy', 'CreateFailed'], words);
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

  it.concurrent('lets go of a resource that somebody took from it', async () => {
    const world = await suite.world('taken');
    const graces = { ...settings, forcefulDeletionGracePeriodDuration: '0s' };
    const templates = [wrappedJob('job', running), wrappedService('service')];
    await world.apply(appWrapper('robbed', templates, { settings: graces }));
    await untilWrapperIs(world, 'robbed', 'Running');
    const { metadata } = await world.untilRunning('job');
    const taken = ['--type=merge', '-p', '{"metadata":{"ownerReferences":null}}'];
    await world.kubectl(['patch', 'job', 'job', ...taken]);
    const words = 'Job job no longer has the AppWrapper as its controller';
    await untilTold(world, 'robbed', ['Unhealthy', 'MissingComponent'], words);
    await untilNothingIsLeftOf(world, 'robbed');
    expect(await namesIn(world)).toEqual([`pod/${metadata.name}`, 'job.batch/job']);
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
