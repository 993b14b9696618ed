import { describe, expect, it } from 'vitest';
import { asResourceVersion, asUid, type KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { EventReference } from '#shared/events/event-reference.ts';
import type { SeenObjects } from '#shared/subscription/subscription.ts';
import { brokenNodeOf } from './broken-node.ts';
import { defaultRules } from './rules.ts';
import { nodeFingerprint, wrappersOfNode } from './subscription/nodes.ts';
import { keepOfPod } from './subscription/pods.ts';

const health = 'autopilot.ibm.com/gpuhealth';
const gpu = (amount: string | number) => ({ limits: { cpu: '1', 'nvidia.com/gpu': amount } });

interface Wish {
  readonly phase?: string;
  readonly main?: object;
  readonly init?: object;
}

function podAt(nodeName: string, { phase = 'Running', main = gpu(4), init = {} }: Wish = {}) {
  const labels = {
    'workload.codeflare.dev/appwrapper': 'aw',
    'millrace.dev/owner-uid': 'uid-of-aw',
    'millrace.dev/component': '0',
  };
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...{ name: `on-${nodeName}`, namespace: 'default', labels, uid: asUid('uid-of-pod') },
      resourceVersion: asResourceVersion('1'),
    },
    spec: {
      nodeName,
      initContainers: [{ name: 'init', resources: init }],
      containers: [{ name: 'main', image: 'train', resources: main }],
    },
    status: { phase },
  } as unknown as KubeObject;
  return keepOfPod(pod);
}

const labelled = (value: string) =>
  new Map([
    ['node-1', { [health]: value }],
    ['node-2', { [health]: 'OK' }],
  ]);
const found = (pod: KubeObject, value: string, rules = defaultRules.nodeHealth) =>
  brokenNodeOf(pod, rules, labelled(value))?.name;

describe('a Pod that wants a GPU', () => {
  it('has to go from a node whose label evicts such Pods (U12)', () => {
    expect(found(podAt('node-1'), 'EVICT')).toBe('node-1');
    expect(found(podAt('node-2'), 'EVICT')).toBeUndefined();
  });

  it.each(['WARN', 'TESTING', 'OK'])('may stay on a node whose label is %s (U13)', (value) => {
    expect(found(podAt('node-1'), value)).toBeUndefined();
  });

  it('may stay when its containers want none, it does not run, or nodes are not monitored', () => {
    expect(found(podAt('node-1', { main: gpu(0) }), 'EVICT')).toBeUndefined();
    expect(found(podAt('node-1', { main: {}, init: gpu(1) }), 'EVICT')).toBeUndefined();
    expect(found(podAt('node-1', { phase: 'Pending' }), 'EVICT')).toBeUndefined();
    const unmonitored = { ...defaultRules.nodeHealth, resets: false };
    expect(found(podAt('node-1'), 'EVICT', unmonitored)).toBeUndefined();
  });

  it('keeps of its spec only the node and what may be broken there, and the same when it is kept again', () => {
    const kept = podAt('node-1');
    expect(kept.spec).toEqual({
      nodeName: 'node-1',
      containers: [{ name: 'main', resources: { limits: { 'nvidia.com/gpu': 4 } } }],
    });
    expect(keepOfPod(kept)).toEqual(kept);
    expect(podAt('node-1', { main: { requests: { cpu: '1' } } }).spec).toBeUndefined();
  });
});

describe('a node', () => {
  const node = (labels: Readonly<Record<string, string>>, name = 'node-1') => ({
    ...{ apiVersion: 'v1', kind: 'Node' },
    metadata: { name, uid: asUid('uid'), resourceVersion: asResourceVersion('1'), labels },
  });

  it('wakes the wrappers whose Pods on it want an extended resource, each once', () => {
    const pods = [
      podAt('node-1'),
      { ...podAt('node-1'), kind: 'Pod' },
      podAt('node-2', { main: {} }),
    ];
    const seen: SeenObjects = {
      get: () => undefined,
      list: (resource) => (resource === resources.Pod ? pods : []),
      listByOwner: () => [],
    };
    const namesOf = (name: string) => {
      const event = { kind: 'Node', name } as EventReference;
      return wrappersOfNode(seen)(event).map((key) => `${key.namespace}/${key.name}`);
    };
    expect(namesOf('node-1')).toEqual(['default/aw']);
    expect(namesOf('node-2')).toEqual([]);
  });

  it('wakes no AppWrapper while its labels stay', () => {
    const fingerprint = nodeFingerprint(node({ a: '1', b: '2' }));
    expect(nodeFingerprint(node({ b: '2', a: '1' }))).toEqual(fingerprint);
    expect(nodeFingerprint(node({ a: '1', b: '3' }))).not.toEqual(fingerprint);
  });
});
