import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#shared/domain/objects.ts';
import { ControllerWorld, job } from '../testing/controller-world.ts';

function configMap(name: string, owners: readonly KubeObject[] = [], more: object = {}): object {
  const ownerReferences = owners.map(({ apiVersion, kind, metadata: { name, uid } }) => ({
    ...{ apiVersion, kind, name, uid },
    ...more,
  }));
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ownerReferences } };
}

const names = (world: ControllerWorld) =>
  world
    .list('configmaps', 'default')
    .map(({ metadata }) => metadata.name)
    .filter((name) => name !== 'kube-root-ca.crt');
const owners = (world: ControllerWorld, name: string) =>
  world
    .list('configmaps', 'default')
    .find(({ metadata }) => metadata.name === name)
    ?.metadata.ownerReferences?.map((owner) => owner.name) ?? [];

describe('background deletion', () => {
  it('takes dependents of dependents after their owners', () => {
    const world = new ControllerWorld();
    const top = world.create('configmaps', configMap('top'));
    const middle = world.create('configmaps', configMap('middle', [top]));
    world.create('configmaps', configMap('bottom', [middle]));
    world.delete('configmaps', 'top', { propagationPolicy: 'Background' });
    expect(names(world)).toEqual([]);
  });

  it('spares what has another owner, and takes the reference away', () => {
    const world = new ControllerWorld();
    const one = world.create('configmaps', configMap('one'));
    const other = world.create('configmaps', configMap('other'));
    world.create('configmaps', configMap('shared', [one, other]));
    world.delete('configmaps', 'one');
    expect(names(world)).toEqual(['other', 'shared']);
    expect(owners(world, 'shared')).toEqual(['other']);
  });

  it('takes what names an owner that never was, or one whose name another object has', () => {
    const world = new ControllerWorld();
    const former = world.create('configmaps', configMap('owner'));
    world.delete('configmaps', 'owner');
    world.create('configmaps', configMap('owner'));
    world.create('configmaps', configMap('late', [former]));
    expect(names(world)).toEqual(['owner']);
  });

  it('follows owners without namespace', () => {
    const world = new ControllerWorld({ nodes: 2 });
    world.create('configmaps', configMap('of-node', [world.node('node-2')]));
    expect(names(world)).toEqual(['of-node']);
    world.delete('nodes', 'node-2');
    expect(names(world)).toEqual([]);
  });

  it('of a Job takes its Pods, counted or not', () => {
    const world = new ControllerWorld();
    world.create('jobs', job({ run: 'sleep 60', spec: { completions: 2, parallelism: 2 } }));
    world.delete('jobs', 'work', { propagationPolicy: 'Background' });
    expect(world.hasJob()).toBe(false);
    expect(world.pods).toEqual([]);
  });
});

describe('foreground deletion', () => {
  it('keeps the owner until what blocks is gone', () => {
    const world = new ControllerWorld();
    const top = world.create('configmaps', configMap('top'));
    const blocking = configMap('kept', [top], { blockOwnerDeletion: true }) as {
      readonly metadata: object;
    };
    const finalizers = ['example.com/keep'];
    world.create('configmaps', { ...blocking, metadata: { ...blocking.metadata, finalizers } });
    world.delete('configmaps', 'top', { propagationPolicy: 'Foreground' });
    expect(names(world)).toEqual(['kept', 'top']);
    world.patch('configmaps', 'kept', { metadata: { finalizers: null } });
    expect(names(world)).toEqual([]);
  });

  it('does not wait for what does not block', () => {
    const world = new ControllerWorld();
    const top = world.create('configmaps', configMap('top'));
    const free = configMap('free', [top]) as { readonly metadata: object };
    const finalizers = ['example.com/keep'];
    world.create('configmaps', { ...free, metadata: { ...free.metadata, finalizers } });
    world.delete('configmaps', 'top', { propagationPolicy: 'Foreground' });
    expect(names(world)).toEqual(['free']);
  });

  it('goes down through all levels', () => {
    const world = new ControllerWorld();
    const blocking = { blockOwnerDeletion: true };
    const top = world.create('configmaps', configMap('top'));
    const middle = world.create('configmaps', configMap('middle', [top], blocking));
    world.create('configmaps', configMap('bottom', [middle], blocking));
    const order: string[] = [];
    world.sandbox.store.onChange(({ type, object }) => {
      if (type === 'DELETED') order.push(object.metadata.name);
    });
    world.delete('configmaps', 'top', { propagationPolicy: 'Foreground' });
    expect(order).toEqual(['bottom', 'middle', 'top']);
  });

  it('of a Job takes its Pods first', () => {
    const world = new ControllerWorld();
    const annotations = { 'sandbox.millrace.dev/stop-seconds': '5' };
    world.create('jobs', job({ run: 'sleep 60', annotations }));
    world.delete('jobs', 'work', { propagationPolicy: 'Foreground' });
    expect(world.job().metadata.finalizers).toContain('foregroundDeletion');
    expect(world.pods).toHaveLength(1);
    world.pass(6);
    expect(world.pods).toEqual([]);
    expect(world.hasJob()).toBe(false);
  });
});

describe('deletion that orphans', () => {
  it('takes the references away and leaves the dependents', () => {
    const world = new ControllerWorld();
    const top = world.create('configmaps', configMap('top'));
    world.create('configmaps', configMap('child', [top]));
    world.delete('configmaps', 'top', { propagationPolicy: 'Orphan' });
    expect(names(world)).toEqual(['child']);
    expect(owners(world, 'child')).toEqual([]);
  });

  it('of a Job leaves its Pods running, untracked', () => {
    const world = new ControllerWorld();
    world.create('jobs', job({ run: 'sleep 10' }));
    world.delete('jobs', 'work', { propagationPolicy: 'Orphan' });
    expect(world.hasJob()).toBe(false);
    expect(world.pods[0]?.metadata).not.toHaveProperty('finalizers');
    world.pass(10);
    expect(world.pods[0]?.status?.phase).toBe('Succeeded');
  });
});

describe('an owner of a kind that is not served', () => {
  const thing = { apiVersion: 'things.test/v1', kind: 'Thing' };
  const unserved = { ...thing, metadata: { name: 'none', uid: 'never' } } as unknown as KubeObject;
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.things.test' },
    spec: {
      group: 'things.test',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object' } },
        },
      ],
    },
  };

  it('keeps what names it, and all references of that', () => {
    const world = new ControllerWorld();
    const gone = world.create('configmaps', configMap('gone'));
    world.create('configmaps', configMap('owned', [gone, unserved]));
    world.delete('configmaps', 'gone');
    expect(owners(world, 'owned')).toEqual(['gone', 'none']);
  });

  it('is looked up once its kind is served', () => {
    const world = new ControllerWorld();
    world.create('configmaps', configMap('owned', [unserved]));
    world.create('customresourcedefinitions', definition);
    expect(names(world)).toEqual(['owned']);
    world.pass(31);
    expect(names(world)).toEqual([]);
  });

  it('is known to be gone when it went with its kind', () => {
    const world = new ControllerWorld();
    world.create('customresourcedefinitions', definition);
    const [one, two] = ['one', 'two'].map((name) =>
      world.create('things', { ...thing, metadata: { name } }),
    );
    world.create('configmaps', configMap('owned', [one!, two!]));
    world.delete('customresourcedefinitions', 'things.things.test');
    expect(names(world)).toEqual([]);
  });
});
