import { expect, it } from 'vitest';
import {
  apiVersionOf,
  asResourceVersion,
  asUid,
  type KubeObject,
  type Resource,
} from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { EventReference } from '#shared/events/event-reference.ts';
import { controllerOfController } from './controller-of-controller.ts';
import { namedBy } from './named-by.ts';
import type { SeenObjects } from './subscription.ts';

const { DaemonJob, Job, JobFlow } = resources;

const reference = (resource: Resource, name: string) => ({
  ...{ apiVersion: apiVersionOf(resource), kind: resource.kind },
  ...{ name, uid: asUid(`u-${name}`) },
});

function object(resource: Resource, name: string, namespace: string, owner?: object): KubeObject {
  const { kind } = resource;
  const identity = { uid: asUid(`u-${name}`), resourceVersion: asResourceVersion('3') };
  const owners = owner === undefined ? {} : { ownerReferences: [owner as never] };
  return {
    ...{ apiVersion: apiVersionOf(resource), kind, spec: { template: name.slice(0, 1) } },
    metadata: { name, namespace, ...identity, ...owners },
  };
}

const seeing = (objects: readonly KubeObject[]): SeenObjects => ({
  get: ({ kind }, namespace, name) =>
    objects.find(
      (each) =>
        each.kind === kind && each.metadata.namespace === namespace && each.metadata.name === name,
    ),
  list: ({ kind }) => objects.filter((each) => each.kind === kind),
  listByOwner: () => [],
});

const job = object(Job, 'a', 'team-a', { ...reference(JobFlow, 'etl'), controller: true });
const event = (owner?: object, namespace = 'team-a') =>
  ({ namespace, name: 'pod', ...(owner === undefined ? {} : { owner }) }) as EventReference;
const etl = { ...reference(JobFlow, 'etl'), namespace: 'team-a' };

it.each<[string, EventReference, readonly object[]]>([
  ['that controls its Job', event(reference(Job, 'a')), [etl]],
  ['of nothing, where it has no owner', event(), []],
  ['of nothing, where its Job is not known', event(reference(Job, 'b')), []],
  ['of nothing, where its Job is of another namespace', event(reference(Job, 'a'), 'team-b'), []],
  [
    'of nothing, where its Job is another one of that name',
    event({ ...reference(Job, 'a'), uid: asUid('u-before') }),
    [],
  ],
])('a Pod leads to the flow %s', (_, pod, keys) => {
  expect(controllerOfController(JobFlow, Job)(seeing([job]))(pod)).toEqual(keys);
});

it('a Pod leads to nothing where its Job belongs to another kind, or has no owner', () => {
  const pod = event(reference(Job, 'a'));
  expect(controllerOfController(DaemonJob, Job)(seeing([job]))(pod)).toEqual([]);
  expect(controllerOfController(JobFlow, Job)(seeing([object(Job, 'a', 'team-a')]))(pod)).toEqual(
    [],
  );
  const uncontrolled = object(Job, 'a', 'team-a', reference(JobFlow, 'etl'));
  expect(controllerOfController(JobFlow, Job)(seeing([uncontrolled]))(pod)).toEqual([]);
});

it('what is named leads to all that name it in its namespace and depend on it still', () => {
  const flows = [
    object(JobFlow, 'x1', 'team-a'),
    object(JobFlow, 'x2', 'team-a'),
    object(JobFlow, 'y1', 'team-a'),
    object(JobFlow, 'x3', 'team-b'),
    object(JobFlow, 'x-ended', 'team-a'),
  ];
  const index = namedBy(
    JobFlow,
    ({ spec }) => [(spec as { readonly template: string }).template],
    ({ metadata }) => metadata.name !== 'x-ended',
  )(seeing(flows));
  const of = (namespace: string, name: string) => index({ namespace, name } as EventReference);
  expect(of('team-a', 'x')).toEqual(
    ['x1', 'x2'].map((name) => ({ ...reference(JobFlow, name), namespace: 'team-a' })),
  );
  expect(of('team-a', 'y').map(({ name }) => name)).toEqual(['y1']);
  expect(of('team-b', 'x').map(({ name }) => name)).toEqual(['x3']);
  expect(of('team-b', 'y')).toEqual([]);
});
