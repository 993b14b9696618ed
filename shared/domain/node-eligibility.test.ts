import { describe, expect, it } from 'vitest';
import { ineligibility } from './node-eligibility.ts';
import { nodeFacts, type NodeFacts } from './node-facts.ts';
import { asResourceVersion, asUid, type JsonObject } from './objects.ts';
import { inheritedNames } from './testing/inherited-names.ts';

const node = (fields: Partial<NodeFacts> = {}): NodeFacts => ({
  name: 'a',
  labels: { disk: 'fast', size: '7' },
  taints: [],
  isUnschedulable: false,
  isDeleting: false,
  ready: 'True',
  ...fields,
});
const reasonOf = (fields: Partial<NodeFacts>, pod: JsonObject = {}, takesAll = false) =>
  ineligibility(node(fields), pod, takesAll)?.reason;
const taint = (effect: string, value = '') => ({ key: 'gpu', value, effect });
const tolerating = (...tolerations: readonly JsonObject[]): JsonObject => ({ tolerations });
const requiring = (...terms: readonly JsonObject[]): JsonObject => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [...terms] },
    },
  },
});
const matching = (key: string, operator: string, ...values: readonly string[]): JsonObject => ({
  matchExpressions: [{ key, operator, values }],
});

describe('a node can run a Pod', () => {
  it.each<[string, Partial<NodeFacts>, JsonObject]>([
    ['when nothing is asked', {}, {}],
    ['with the labels that are selected', {}, { nodeSelector: { disk: 'fast' } }],
    ['with a label that is one of several', {}, requiring(matching('disk', 'In', 'slow', 'fast'))],
    ['by one of several terms', {}, requiring({}, matching('disk', 'Exists'))],
    [
      'by its name',
      {},
      requiring({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] }),
    ],
    ['by a number that is larger', {}, requiring(matching('size', 'Gt', '6'))],
    ['by a number that is smaller', {}, requiring(matching('size', 'Lt', '8'))],
    ['without a label that it must not have', {}, requiring(matching('x', 'DoesNotExist'))],
    ['without a value that it must not have', {}, requiring(matching('disk', 'NotIn', 'slow'))],
    ['with a taint that only prefers others', { taints: [taint('PreferNoSchedule')] }, {}],
    [
      'with a taint that is tolerated',
      { taints: [taint('NoSchedule', 'x')] },
      tolerating({ key: 'gpu', value: 'x' }),
    ],
    [
      'with any taint when all are tolerated',
      { taints: [taint('NoExecute')] },
      tolerating({ operator: 'Exists' }),
    ],
    [
      'cordoned, when that is tolerated',
      { isUnschedulable: true },
      tolerating({ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }),
    ],
    [
      'not ready, when that is tolerated',
      { ready: 'False' },
      tolerating({ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoSchedule' }),
    ],
    ['that is named', {}, { nodeName: 'a' }],
  ])('%s', (_, fields, pod) => {
    expect(reasonOf(fields, pod)).toBeUndefined();
  });
});

describe('a node cannot run a Pod', () => {
  it.each<[string, string, Partial<NodeFacts>, JsonObject]>([
    ['Unselected', 'with another label', {}, { nodeSelector: { disk: 'slow' } }],
    ['Unselected', 'by no term', {}, requiring()],
    ['Unselected', 'by an empty term', {}, requiring({})],
    ['Unselected', 'by a number that is none', {}, requiring(matching('disk', 'Gt', '6'))],
    ['Unselected', 'by an unknown operator', {}, requiring(matching('disk', 'Like', 'f'))],
    ['Unselected', 'when another one is named', {}, { nodeName: 'b' }],
    ['Deleting', 'while it is being deleted', { isDeleting: true }, {}],
    ['Cordoned', 'when it is cordoned', { isUnschedulable: true }, {}],
    ['NotReady', 'when it is not ready', { ready: 'False' }, {}],
    ['Unreachable', 'when it has stopped reporting', { ready: 'Unknown' }, {}],
    ['Tainted', 'with a taint', { taints: [taint('NoSchedule')] }, {}],
    [
      'Tainted',
      'with a taint of another value',
      { taints: [taint('NoSchedule', 'x')] },
      tolerating({ key: 'gpu', value: 'y' }),
    ],
    [
      'Tainted',
      'with a taint of another effect',
      { taints: [taint('NoExecute')] },
      tolerating({ key: 'gpu', operator: 'Exists', effect: 'NoSchedule' }),
    ],
    [
      'Tainted',
      'when only an empty key without Exists tolerates it',
      { taints: [taint('NoSchedule')] },
      tolerating({}),
    ],
  ])('(%s) %s', (reason, _, fields, pod) => {
    expect(reasonOf(fields, pod)).toBe(reason);
  });

  it('(NotReady) that has never reported', () => {
    const silent = { ...node() };
    delete silent.ready;
    expect(ineligibility(silent, {}, false)?.reason).toBe('NotReady');
  });
});

describe('where all nodes are meant', () => {
  it('nothing that keeps Pods away counts', () => {
    const fields = { isUnschedulable: true, ready: 'Unknown', taints: [taint('NoExecute')] };
    expect(reasonOf(fields, {}, true)).toBeUndefined();
  });

  it('what the template selects still counts', () => {
    expect(reasonOf({}, { nodeSelector: { disk: 'slow' } }, true)).toBe('Unselected');
  });
});

it('reads what it needs of a Node, and nothing that is malformed', () => {
  const facts = nodeFacts({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'a', uid: asUid('u'), resourceVersion: asResourceVersion('1') },
    spec: { unschedulable: true, taints: [{ key: 'k', effect: 'NoSchedule' }, 7] },
    status: { conditions: ['nonsense', { type: 'Ready', status: 'False' }] },
  });
  expect(facts).toEqual({
    name: 'a',
    labels: {},
    taints: [
      { key: 'k', value: '', effect: 'NoSchedule' },
      { key: '', value: '', effect: '' },
    ],
    isUnschedulable: true,
    isDeleting: false,
    ready: 'False',
  });
});

it.each(inheritedNames)('a node without the label %s is not selected by it', (key) => {
  expect(reasonOf({}, requiring(matching(key, 'Exists')))).toBe('Unselected');
  expect(reasonOf({}, requiring(matching(key, 'DoesNotExist')))).toBeUndefined();
});
