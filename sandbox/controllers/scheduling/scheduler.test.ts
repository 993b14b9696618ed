import { describe, expect, it } from 'vitest';
import { podCondition } from '../objects/pod.ts';
import { container, ControllerWorld, pod } from '../testing/controller-world.ts';

const asks = (requests: object) => ({
  containers: [{ ...container('sleep 600'), resources: { requests } }],
});
const place = (world: ControllerWorld, name: string) => world.pod(name).spec.nodeName;
const required = (term: object) => ({
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } },
  },
});

describe('where a Pod goes', () => {
  it('is the least requested node, by name among equals', () => {
    const world = new ControllerWorld({ nodes: 3 });
    for (const name of ['a', 'b', 'c', 'd']) world.create('pods', pod(name, asks({ cpu: '1' })));
    expect(['a', 'b', 'c', 'd'].map((name) => place(world, name))).toEqual([
      'node-1',
      'node-2',
      'node-3',
      'node-1',
    ]);
  });

  it('is where its selector and its required affinity let it', () => {
    const world = new ControllerWorld({ nodes: 3 });
    world.patch('nodes', 'node-2', { metadata: { labels: { disk: 'fast', size: '7' } } });
    const key = 'disk';
    world.create('pods', pod('selector', { nodeSelector: { disk: 'fast' } }));
    const larger = { matchExpressions: [{ key: 'size', operator: 'Gt', values: ['6'] }] };
    world.create('pods', pod('larger', required(larger)));
    const notFast = { matchExpressions: [{ key, operator: 'NotIn', values: ['fast'] }] };
    world.create('pods', pod('slow', required(notFast)));
    const named = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-3'] }] };
    world.create('pods', pod('named', required(named)));
    expect(['selector', 'larger', 'slow', 'named'].map((name) => place(world, name))).toEqual([
      'node-2',
      'node-2',
      'node-1',
      'node-3',
    ]);
  });

  it('is no node that is cordoned or tainted, unless it tolerates that', () => {
    const world = new ControllerWorld({ nodes: 3 });
    world.patch('nodes', 'node-1', { spec: { unschedulable: true } });
    const taints = [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }];
    world.patch('nodes', 'node-2', { spec: { taints } });
    world.create('pods', pod('plain'));
    const tolerations = [{ key: 'gpu', operator: 'Equal', value: 'yes', effect: 'NoSchedule' }];
    world.create(
      'pods',
      pod('gpu', { tolerations, nodeSelector: { 'kubernetes.io/os': 'linux' } }),
    );
    expect(place(world, 'plain')).toBe('node-3');
    expect(place(world, 'gpu')).toBe('node-2');
  });

  it('is a node with room, also for its init containers', () => {
    const world = new ControllerWorld({ nodes: 2 });
    world.create('pods', pod('first', asks({ memory: '30Gi' })));
    const init = { ...container('true'), name: 'init', resources: { requests: { memory: '3Gi' } } };
    world.create('pods', pod('second', { initContainers: [init] }));
    expect(place(world, 'first')).toBe('node-1');
    expect(place(world, 'second')).toBe('node-2');
  });

  it('is reported by an Event', () => {
    const world = new ControllerWorld();
    world.create('pods', pod('p'));
    expect(world.eventTexts('Pod')[0]).toBe('Scheduled: Successfully assigned default/p to node-1');
  });
});

describe('a Pod that fits nowhere', () => {
  it('waits and says why, by number of nodes', () => {
    const world = new ControllerWorld({ nodes: 3 });
    world.patch('nodes', 'node-1', { spec: { unschedulable: true } });
    const gpu = { 'example.com/gpu': '1' };
    const resources = { requests: { cpu: '9', ...gpu }, limits: gpu };
    world.create('pods', pod('p', { containers: [{ name: 'main', image: 'busybox', resources }] }));
    const message =
      '0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu, 2 Insufficient example.com/gpu.';
    expect(world.pod('p').status?.conditions).toMatchObject([
      { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message },
    ]);
    expect(world.eventTexts('Pod')).toEqual([`FailedScheduling: ${message}`]);
  });

  it('goes to a node that comes, or is given back', () => {
    const world = new ControllerWorld();
    world.patch('nodes', 'node-1', { spec: { unschedulable: true } });
    world.create('pods', pod('first'));
    expect(place(world, 'first')).toBeUndefined();
    world.patch('nodes', 'node-1', { spec: { unschedulable: null } });
    expect(place(world, 'first')).toBe('node-1');
    world.create('pods', pod('second', { nodeSelector: { pool: 'new' } }));
    world.create('nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'late', labels: { pool: 'new' } },
    });
    expect(place(world, 'second')).toBe('late');
  });

  it('goes where another Pod has ended', () => {
    const world = new ControllerWorld();
    world.create(
      'pods',
      pod('first', {
        containers: [{ ...container('sleep 5'), resources: { requests: { cpu: '5' } } }],
      }),
    );
    world.create('pods', pod('second', asks({ cpu: '5' })));
    expect(place(world, 'second')).toBeUndefined();
    world.pass(5);
    expect(place(world, 'second')).toBe('node-1');
  });
});

describe('what is not scheduled or not simulated', () => {
  it('is a Pod with a gate or another scheduler', () => {
    const world = new ControllerWorld();
    world.create('pods', pod('gated', { schedulingGates: [{ name: 'example.com/gate' }] }));
    world.create('pods', pod('other', { schedulerName: 'other' }));
    expect([place(world, 'gated'), place(world, 'other')]).toEqual([undefined, undefined]);
  });

  it('is a constraint between Pods, which an Event says', () => {
    const world = new ControllerWorld();
    const terms = [{ topologyKey: 'kubernetes.io/hostname', labelSelector: {} }];
    const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: terms };
    world.create('pods', pod('p', { affinity: { podAntiAffinity } }));
    expect(place(world, 'p')).toBe('node-1');
    expect(world.eventTexts('Pod')).toContain(
      'NotSimulated: the sandbox does not simulate podAntiAffinity and ignores it',
    );
  });
});

describe('a claim', () => {
  const claimed = { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] };

  it('that is missing keeps its Pod from being scheduled until it is there', () => {
    const world = new ControllerWorld({ nodes: 3 });
    world.create('pods', pod('p', claimed));
    expect(place(world, 'p')).toBeUndefined();
    expect(podCondition(world.pod('p'), 'PodScheduled')).toMatchObject({
      status: 'False',
      reason: 'Unschedulable',
      message: '0/3 nodes are available: persistentvolumeclaim "data" not found.',
    });
    world.create('persistentvolumeclaims', {
      metadata: { name: 'data', namespace: 'default' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    expect(place(world, 'p')).toBe('node-1');
  });
});
