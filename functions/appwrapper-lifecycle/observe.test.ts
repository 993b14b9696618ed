import { expect, it } from 'vitest';
import type { AppWrapperPhase } from '#shared/api/app-wrapper.ts';
import { MillraceError } from '#shared/domain/errors.ts';
import { asUid, type KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { observe } from './observe.ts';
import { keepOfPod } from './subscription/pods.ts';
import { job, pod, PureWorld } from './testing/pure-world.ts';

const ofTheTryBefore = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    ...{ name: 'a', namespace: 'default', uid: 'uid-of-before' },
    ownerReferences: [
      { uid: asUid('uid-of-aw'), controller: true, kind: 'AppWrapper', name: 'aw' },
    ],
  },
} as unknown as KubeObject;

const unavailable = new MillraceError('MR_API_RETRYABLE', {
  ...{ verb: 'discover', path: '/api/v1', status: 503, detail: 'service unavailable' },
});

/** A view that still has objects which the API server no longer has. */
function behind(wrapper: PureWorld['wrapper']): Reader {
  return {
    get: (resource, _, __, asOf) =>
      Promise.resolve(
        resource === resources.AppWrapper
          ? (wrapper as unknown as KubeObject)
          : asOf === 'now'
            ? undefined
            : ofTheTryBefore,
      ),
    list: () => Promise.resolve([]),
    listByOwner: () => Promise.resolve([]),
    listByOwners: () => Promise.resolve([]),
    resourceOf: () => Promise.resolve(resources.Pod),
  };
}

const forbidden = 'pods "a" is forbidden';
it.each<[string, MillraceError, string]>([
  [
    'may not read',
    new MillraceError('MR_API_FORBIDDEN', { verb: 'GET', path: '/pods/a', detail: forbidden }),
    `${forbidden}; a missing right is granted by a ClusterRole with the label millrace.dev/aggregate-to-wrapped=true`,
  ],
  ['does not reach', unavailable, 'what serves v1 does not answer: service unavailable'],
])('a resource that Millrace %s is unknown, with the cause', async (_, error, unreadable) => {
  const world = new PureWorld([pod('a')]);
  world.run('Running');
  const reader = behind(world.wrapper);
  const get: Reader['get'] = (resource, ...rest) =>
    resource === resources.Pod ? Promise.reject(error) : reader.get(resource, ...rest);
  const seen = await observe(world.snapshot().key, { ...reader, get });
  expect(seen?.components).toEqual([{ resource: resources.Pod, unreadable }]);
});

it('a resource whose kind no server describes is unknown, and not one of an unserved kind', async () => {
  const world = new PureWorld([pod('a')]);
  world.run('Running');
  const resourceOf = () => Promise.reject(unavailable);
  const seen = await observe(world.snapshot().key, { ...behind(world.wrapper), resourceOf });
  expect(seen?.components).toEqual([
    { unreadable: 'what serves v1 does not answer: service unavailable' },
  ]);
});

it('a fault of the API server that may concern every kind is thrown', async () => {
  const world = new PureWorld([pod('a')]);
  world.run('Running');
  const fault = new MillraceError('MR_API_RETRYABLE', { status: 500, detail: 'etcd is slow' });
  const resourceOf = () => Promise.reject(fault);
  const seen = observe(world.snapshot().key, { ...behind(world.wrapper), resourceOf });
  await expect(seen).rejects.toBe(fault);
});

it.each<[AppWrapperPhase, boolean]>([
  ['Running', true],
  // Its name is the same in each try.
  ['Resuming', false],
])('a resource of a wrapper that is %s may be one of a view: %s', async (phase, isThere) => {
  const world = new PureWorld([pod('a')]);
  world.run('Running');
  const { wrapper } = world;
  const seen = await observe(
    world.snapshot().key,
    behind({ ...wrapper, status: { ...wrapper.status, phase } }),
  );
  expect(seen?.components.map(({ object }) => object !== undefined)).toEqual([isThere]);
});

it('neither a resource with another owner nor its Pods belong to the wrapper', async () => {
  const world = new PureWorld([job('a')]);
  world.run('Running');
  const labels = { 'millrace.dev/component': '0', 'millrace.dev/owner-uid': 'uid-of-aw' };
  const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'a', uid: 'uid-of-a' };
  const ofJob = {
    ...{ apiVersion: 'v1', kind: 'Pod', status: { phase: 'Running' } },
    metadata: {
      ...{ name: 'a-1', uid: 'uid-of-pod', labels },
      ownerReferences: [{ ...owner, controller: true }],
    },
  } as unknown as KubeObject;
  const { wrapper } = world;
  const seenWith = (ownerReferences: KubeObject['metadata']['ownerReferences']) =>
    observe(world.snapshot().key, {
      ...behind(wrapper),
      get: (resource) =>
        Promise.resolve(
          resource === resources.AppWrapper
            ? (wrapper as unknown as KubeObject)
            : ({
                ...ofTheTryBefore,
                metadata: { ...ofTheTryBefore.metadata, ownerReferences },
              } as KubeObject),
        ),
      resourceOf: () => Promise.resolve(resources.Job),
      listByRoot: () => Promise.resolve([ofJob]),
    });
  expect((await seenWith(ofTheTryBefore.metadata.ownerReferences))?.pods).toHaveLength(1);
  expect(await seenWith([])).toMatchObject({ components: [{ isOthers: true }], pods: [] });
});

it('an end that no status reports yet is read from the API server, not from a view', async () => {
  const world = new PureWorld([pod('a'), job('b')]);
  world.run('Running');
  const reader = behind(world.wrapper);
  const failed = { conditions: [{ type: 'Failed', status: 'True', reason: 'x', message: 'x' }] };
  const get: Reader['get'] = async (resource, name, ...rest) => {
    const found = await reader.get(resource, name, ...rest);
    return found === undefined || name.name !== 'b' ? found : { ...found, status: failed };
  };
  const seen = await observe(world.snapshot().key, { ...reader, get });
  expect(seen?.components.map(({ object }) => object !== undefined)).toEqual([true, false]);
});

it.each([
  ['Pending', 'Unschedulable: no node has a GPU'],
  ['Running', undefined],
])('what keeps a Pod from running is seen of one that is %s as %s', async (phase, trouble) => {
  const world = new PureWorld([pod('a')]);
  world.run('Running');
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' };
  const labels = { 'millrace.dev/component': '0', 'millrace.dev/owner-uid': 'uid-of-aw' };
  const waits = keepOfPod({
    ...ofTheTryBefore,
    metadata: { ...ofTheTryBefore.metadata, labels },
    status: { phase, conditions: [{ ...condition, message: 'no node has a GPU' }] },
  });
  expect(keepOfPod(waits)).toEqual(waits);
  const reader = { ...behind(world.wrapper), listByRoot: () => Promise.resolve([waits]) };
  const seen = await observe(world.snapshot().key, reader);
  expect(seen?.pods.map((each) => each.trouble)).toEqual([trouble]);
});
