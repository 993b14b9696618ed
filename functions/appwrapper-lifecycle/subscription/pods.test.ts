import { expect, it } from 'vitest';
import { labels } from '#shared/domain/labels.ts';
import {
  asResourceVersion,
  asUid,
  type JsonObject,
  type KubeObject,
} from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { wrapperLabels } from '#shared/domain/wrapper-keys.ts';
import type { EventReference } from '#shared/events/event-reference.ts';
import type { SeenObjects } from '#shared/subscription/subscription.ts';
import { keepOfNode, nodeFingerprint, wrappersOfNode } from './nodes.ts';
import { keepOfPod, podFingerprint, wrapperKeyOf, wrapperOfPod } from './pods.ts';

const ofWrapper = { [wrapperLabels.wrapper]: 'train', [labels.ownerUid]: 'u-train' };

function pod(
  name: string,
  own: JsonObject,
  spec: JsonObject = {},
  status?: JsonObject,
): KubeObject {
  const identity = { uid: asUid(`u-${name}`), resourceVersion: asResourceVersion('3') };
  const metadata = { ...{ name, namespace: 'team-a', ...identity }, labels: own as never };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec,
    ...(status === undefined ? {} : { status }),
  };
}

const key = {
  ...{ apiVersion: 'workload.codeflare.dev/v1beta2', kind: 'AppWrapper' },
  ...{ namespace: 'team-a', name: 'train', uid: 'u-train' },
};

const seeing = (pods: readonly KubeObject[]): SeenObjects => ({
  get: (resource, namespace, name) =>
    pods.find(
      ({ metadata }) =>
        resource === resources.Pod && metadata.namespace === namespace && metadata.name === name,
    ),
  list: (resource) => (resource === resources.Pod ? pods : []),
  listByOwner: () => [],
});

it('a Pod of a wrapper matters when its phase changes and when it goes, and no other Pod does', () => {
  const running = pod('a', ofWrapper, {}, { phase: 'Running', podIP: '10.0.0.1' });
  const going = { ...running, metadata: { ...running.metadata, deletionTimestamp: 'now' } };
  expect(podFingerprint(running)).toEqual(['Running', false]);
  expect(podFingerprint(going)).toEqual(['Running', true]);
  expect(podFingerprint(pod('a', ofWrapper))).toEqual(['', false]);
  expect(podFingerprint(pod('a', { team: 'blue' }, {}, { phase: 'Running' }))).toBeUndefined();
});

it('the exit codes of a Pod are kept once it has failed, each in its place', () => {
  const terminated = { exitCode: 3, message: 'long' };
  const containerStatuses = [
    { name: 'main', state: { terminated }, image: 'busybox' },
    { name: 'side', state: { running: {} } },
    { state: { terminated: { exitCode: 0 } } },
  ];
  const kept = (phase: string) =>
    keepOfPod(pod('a', ofWrapper, {}, { phase, containerStatuses })).status;
  expect(kept('Failed')).toStrictEqual({
    phase: 'Failed',
    containerStatuses: [
      { name: 'main', state: { terminated: { exitCode: 3 } } },
      { name: 'side' },
      { state: { terminated: { exitCode: 0 } } },
    ],
  });
  expect(kept('Running')).toStrictEqual({ phase: 'Running' });
  expect(keepOfPod(pod('a', ofWrapper)).status).toStrictEqual({});
});

it('the node of a Pod is kept where it wants an extended resource', () => {
  const containers = [{ name: 'main', resources: { limits: { 'nvidia.com/gpu': 1 } } }];
  const more = { image: 'busybox' };
  const spec = { nodeName: 'n1', hostNetwork: true, containers: [{ ...containers[0], ...more }] };
  expect(keepOfPod(pod('a', ofWrapper, spec)).spec).toEqual({ nodeName: 'n1', containers });
  const { nodeName: _, ...unplaced } = spec;
  expect(keepOfPod(pod('a', ofWrapper, unplaced)).spec).toStrictEqual({ containers });
  expect(keepOfPod(pod('a', ofWrapper, { nodeName: 'n1', containers: [more] }))).not.toHaveProperty(
    'spec',
  );
});

it('of the labels of a Pod those are kept that say whose it is', () => {
  const own = { ...ofWrapper, [labels.component]: '1' };
  const { metadata } = keepOfPod(pod('a', { ...own, team: 'blue' }));
  expect(metadata.labels).toEqual(own);
});

it.each<[string, JsonObject, object | undefined]>([
  ['both labels', ofWrapper, key],
  ['no uid', { [wrapperLabels.wrapper]: 'train' }, undefined],
  ['no name', { [labels.ownerUid]: 'u-train' }, undefined],
])('a Pod with %s leads to its wrapper', (_, own, found) => {
  expect(wrapperKeyOf(pod('a', own))).toEqual(found);
  const event = { namespace: 'team-a', name: 'a' } as EventReference;
  expect(wrapperOfPod(seeing([pod('a', own)]))(event)).toEqual(found === undefined ? [] : [found]);
});

it('a Pod that is gone leads to the wrapper that owned it itself, and to no other owner', () => {
  const { apiVersion, kind, name, uid } = key;
  const event = (owner: object) => ({ namespace: 'team-a', name: 'a', owner }) as EventReference;
  const lead = wrapperOfPod(seeing([]));
  expect(lead(event({ apiVersion, kind, name, uid }))).toEqual([key]);
  expect(lead(event({ apiVersion: 'batch/v1', kind: 'Job', name, uid }))).toEqual([]);
});

it('a node leads to the wrappers with Pods there that want what may be broken, each once', () => {
  const on = (nodeName: JsonObject['name'], containers: readonly JsonObject[] = [{}]) => ({
    ...{ nodeName: nodeName ?? null, containers },
  });
  const other = { [wrapperLabels.wrapper]: 'other', [labels.ownerUid]: 'u-other' };
  const pods = [
    pod('a', ofWrapper, on('n1')),
    pod('b', ofWrapper, on('n1')),
    pod('c', other, on('n1')),
    pod('d', other, on('n2')),
    pod('e', ofWrapper, on('n3', [])),
    pod('f', ofWrapper, on(undefined)),
    pod('g', {}, on('n3')),
  ];
  const of = wrappersOfNode(seeing(pods));
  const uids = ['n1', 'n2', 'n3'].map((name) =>
    of({ namespace: '', name } as EventReference).map(({ uid }) => uid),
  );
  expect(uids).toEqual([['u-train', 'u-other'], ['u-other'], []]);
});

it('of a node its labels matter, in any order, and nothing else is kept', () => {
  const identity = { uid: asUid('u-n1'), resourceVersion: asResourceVersion('3') };
  const node = (own?: Readonly<Record<string, string>>): KubeObject => ({
    ...{ apiVersion: 'v1', kind: 'Node', spec: { unschedulable: true } },
    metadata: { name: 'n1', ...identity, ...(own === undefined ? {} : { labels: own }) },
  });
  expect(nodeFingerprint(node({ a: '1', b: '2' }))).toEqual(
    nodeFingerprint(node({ b: '2', a: '1' })),
  );
  expect(nodeFingerprint(node({ a: '1' }))).not.toEqual(nodeFingerprint(node({ a: '2' })));
  expect(nodeFingerprint(node())).toEqual([]);
  expect(keepOfNode(node({ a: '1' }))).toStrictEqual({
    ...{ apiVersion: 'v1', kind: 'Node' },
    metadata: { name: 'n1', ...identity, labels: { a: '1' } },
  });
  expect(keepOfNode(node()).metadata).toStrictEqual({ name: 'n1', ...identity });
});
