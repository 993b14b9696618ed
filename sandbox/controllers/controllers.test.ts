import { describe, expect, it } from 'vitest';
import { ControllerWorld, job, pod } from './testing/controller-world.ts';

describe('nodes', () => {
  it('report Ready with what they offer, also those that users create', () => {
    const world = new ControllerWorld({ nodes: 3 });
    world.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'mine' } });
    for (const name of ['node-1', 'node-3', 'mine']) {
      const { status, spec } = world.node(name);
      expect(status?.allocatable).toMatchObject({ cpu: '8', pods: '110' });
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'Ready', status: 'True' }),
      );
      expect(spec?.taints ?? []).toEqual([]);
    }
    expect(world.node('node-1').metadata.labels).toMatchObject({
      'kubernetes.io/hostname': 'node-1',
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
    });
  });

  it('report the version of their kubelet, unless their creator gave another', () => {
    const world = new ControllerWorld();
    world.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'plain' } });
    const status = { nodeInfo: { kubeletVersion: 'v1.30.0' } };
    world.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'old' }, status });
    const infoOf = (name: string) => world.node(name).status?.nodeInfo;
    expect(infoOf('plain')).toMatchObject({ kubeletVersion: 'v1.36.3', operatingSystem: 'linux' });
    expect(infoOf('old')).toMatchObject({ kubeletVersion: 'v1.30.0', operatingSystem: 'linux' });
  });

  it('keep the resources that their creator gave them', () => {
    const world = new ControllerWorld();
    const status = { allocatable: { cpu: '1', pods: '1', memory: '1Gi' } };
    world.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'small' }, status });
    expect(world.node('small').status?.allocatable).toMatchObject({ cpu: '1', pods: '1' });
  });

  it('are tainted while they are cordoned', () => {
    const world = new ControllerWorld();
    world.patch('nodes', 'node-1', { spec: { unschedulable: true } });
    expect(world.node().spec?.taints).toMatchObject([
      { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' },
    ]);
    world.patch('nodes', 'node-1', { spec: { unschedulable: null } });
    expect(world.node().spec?.taints ?? []).toEqual([]);
  });
});

describe('time to live after a Job finished', () => {
  it('deletes it with its Pods when it is over', () => {
    const world = new ControllerWorld();
    world.create('jobs', job({ spec: { ttlSecondsAfterFinished: 60 } }));
    world.pass(60.5);
    expect(world.hasJob()).toBe(true);
    world.pass(1);
    expect(world.hasJob()).toBe(false);
    expect(world.pods).toEqual([]);
  });

  it('may be set or shortened afterwards', () => {
    const world = new ControllerWorld();
    world.create('jobs', job());
    world.pass(100);
    world.patch('jobs', 'work', { spec: { ttlSecondsAfterFinished: 0 } });
    expect(world.hasJob()).toBe(false);
  });
});

describe('namespaces', () => {
  it('have a service account and the root certificates', () => {
    const world = new ControllerWorld();
    world.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
    const namesOf = (plural: string) =>
      world.list(plural, 'team').map((each) => each.metadata.name);
    expect(namesOf('serviceaccounts')).toEqual(['default']);
    expect(namesOf('configmaps')).toEqual(['kube-root-ca.crt']);
  });

  it('are emptied before they go', () => {
    const world = new ControllerWorld();
    world.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
    world.create('jobs', job({ run: 'sleep 60' }), 'team');
    expect(world.list('pods', 'team')).toHaveLength(1);
    world.delete('namespaces', 'team');
    for (const plural of ['pods', 'jobs', 'configmaps', 'serviceaccounts', 'events']) {
      expect(world.list(plural, 'team')).toEqual([]);
    }
    expect(world.list('namespaces').map(({ metadata }) => metadata.name)).not.toContain('team');
  });

  it('wait for what a finalizer holds', () => {
    const world = new ControllerWorld();
    world.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
    const metadata = { name: 'held', finalizers: ['example.com/keep'] };
    world.create('configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata }, 'team');
    world.delete('namespaces', 'team');
    const team = () => world.list('namespaces').find(({ metadata }) => metadata.name === 'team');
    expect(team()?.status).toMatchObject({ phase: 'Terminating' });
    const type = world.type('configmaps');
    const held = world.list('configmaps', 'team')[0]!;
    const body = { ...held, metadata: { ...held.metadata, finalizers: [] } };
    const call = {
      verb: 'update',
      type,
      namespace: 'team',
      name: 'held',
      subresource: '',
    } as const;
    world.sandbox.api.handleNow({ ...call, body: body as never, options: {} });
    world.settle();
    expect(team()).toBeUndefined();
  });
});

describe('Events', () => {
  it('go after an hour', () => {
    const world = new ControllerWorld();
    world.create('pods', pod('early'));
    world.pass(1_800);
    world.create('pods', pod('late'));
    world.pass(1_850);
    expect(world.eventTexts('Pod', 'early')).toEqual([]);
    expect(world.eventTexts('Pod', 'late').length).toBeGreaterThan(0);
    world.pass(1_800);
    expect(world.list('events')).toEqual([]);
  });

  it('are counted when they repeat', () => {
    const world = new ControllerWorld();
    const containers = [{ name: 'main', image: 'x', command: ['sh', '-c', 'exit 1'] }];
    world.create('pods', pod('crashing', { restartPolicy: 'Always', containers }));
    world.pass(300);
    const counts = world
      .list('events')
      .map((event) => event as unknown as { reason: string; count: number })
      .filter(({ reason }) => reason === 'BackOff')
      .map(({ count }) => count);
    expect(counts).toHaveLength(1);
    expect(counts[0]).toBeGreaterThan(3);
  });
});

describe('the same seed', () => {
  it('gives the same history', () => {
    const history = () => {
      const world = new ControllerWorld({ nodes: 3 });
      const seen: string[] = [];
      world.sandbox.store.onChange(({ type, object: { kind, metadata }, revision }) => {
        seen.push(`${revision} ${type} ${kind} ${metadata.name} ${metadata.uid}`);
      });
      for (const name of ['a', 'b', 'c']) {
        world.create('jobs', job({ name, spec: { completions: 3, parallelism: 2 } }));
      }
      world.pass(30);
      return seen;
    };
    const first = history();
    expect(first.length).toBeGreaterThan(50);
    expect(history()).toEqual(first);
  });
});
