import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#shared/domain/objects.ts';
import { subscription } from '../subscription.ts';
import {
  flow,
  job,
  ownedBy,
  pod,
  template,
  type ObjectFields,
} from '#shared/domain/testing/objects.ts';

type WatchedKind = keyof typeof builders;

const builders = { JobFlow: flow, JobTemplate: template, Job: job, Pod: pod };

const fingerprintOf = (kind: WatchedKind, object: KubeObject) =>
  subscription.watches.find(({ resource }) => resource.kind === kind)?.fingerprint(object);

const differ = (kind: WatchedKind, before: ObjectFields, after: ObjectFields): boolean =>
  JSON.stringify(fingerprintOf(kind, builders[kind](before))) !==
  JSON.stringify(fingerprintOf(kind, builders[kind](after)));

const annotated = (annotations: Record<string, string>) => ({ metadata: { annotations } });
const condition = (type: string, status: string, message = '') => ({
  status: { conditions: [{ type, status, message }] },
});

const deleted = { deletionTimestamp: '2026-11-21T10:00:00Z' };
const notScheduled = (message: string) => ({
  status: {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
  },
});
/** Scheduled to a node, with a container that waits for this reason. */
const onNode = (reason = 'ContainerCreating', message?: string) => ({
  status: {
    phase: 'Pending',
    startTime: '2026-11-21T10:00:00Z',
    conditions: [{ type: 'PodScheduled', status: 'True' }],
    containerStatuses: [{ name: 'main', image: 'x', state: { waiting: { reason, message } } }],
  },
});

describe('an update wakes when a decision can depend on it', () => {
  const nothing: ObjectFields = {};
  const deleting = { metadata: { deletionTimestamp: '2026-11-21T10:00:00Z' } };
  it.each<[string, WatchedKind, ObjectFields, ObjectFields]>([
    ['JobFlow: its spec was edited', 'JobFlow', nothing, { metadata: { generation: 2 } }],
    ['JobFlow: it is being deleted', 'JobFlow', nothing, deleting],
    ['JobFlow: a retry is asked for', 'JobFlow', nothing, annotated({ 'millrace.dev/retry': '1' })],
    [
      'JobFlow: another retry is asked for',
      'JobFlow',
      annotated({ 'millrace.dev/retry': '1' }),
      annotated({ 'millrace.dev/retry': '2' }),
    ],
    ['JobTemplate: its spec was edited', 'JobTemplate', nothing, { metadata: { generation: 2 } }],
    ['Job: suspended or resumed by a user', 'Job', nothing, { metadata: { generation: 2 } }],
    ['Job: it is being deleted', 'Job', nothing, deleting],
    ['Job: it completed', 'Job', nothing, condition('Complete', 'True')],
    ['Job: it is about to complete', 'Job', nothing, condition('SuccessCriteriaMet', 'True')],
    ['Job: it resumed', 'Job', condition('Suspended', 'True'), condition('Suspended', 'False')],
    ['Job: its first pod is active', 'Job', nothing, { status: { active: 1 } }],
    ['Job: its first pod is ready', 'Job', { status: { ready: 0 } }, { status: { ready: 1 } }],
    ['Job: its last pod is gone', 'Job', { status: { terminating: 1 } }, { status: {} }],
    ['Job: it started', 'Job', nothing, { status: { startTime: '2026-11-21T10:00:00Z' } }],
    ['Job: another owner controls it', 'Job', nothing, { metadata: ownedBy(flow()) }],
    ['Pod: no node takes it', 'Pod', nothing, notScheduled('0/3 nodes are available: 3 x.')],
    ['Pod: a node took it', 'Pod', notScheduled('0/3 nodes are available: 3 x.'), onNode()],
    ['Pod: its image cannot be pulled', 'Pod', onNode(), onNode('ErrImagePull')],
    ['Pod: it runs at last', 'Pod', onNode('ImagePullBackOff'), { status: { phase: 'Running' } }],
    ['Pod: another claim is missing', 'Pod', notScheduled('claim a'), notScheduled('claim b')],
    [
      'Pod: another Secret is missing',
      'Pod',
      onNode('CreateContainerConfigError', 'secret "a" not found'),
      onNode('CreateContainerConfigError', 'secret "b" not found'),
    ],
  ])('%s', (_, kind, before, after) => {
    expect(differ(kind, before, after)).toBe(true);
  });
});

describe('an update wakes no flow when no decision depends on it', () => {
  it.each<[string, WatchedKind, ObjectFields, ObjectFields]>([
    ['only the version moved', 'JobFlow', { version: '5' }, { version: '6' }],
    [
      'we wrote messages, conditions and counters into the status of a flow',
      'JobFlow',
      { status: { state: 'Running', jobStatusList: [{ name: 'a', state: 'Running' }] } },
      {
        status: {
          state: 'Running',
          progress: '0/1',
          conditions: [{ type: 'Progressing', status: 'True' }],
          jobStatusList: [{ name: 'a', state: 'Running', message: 'x', attempt: 0 }],
        },
      },
    ],
    [
      'what its steps came to was written down, which is our own doing',
      'JobFlow',
      { status: { jobStatusList: [{ name: 'a', state: 'Running' }] } },
      { status: { jobStatusList: [{ name: 'a', state: 'Succeed' }] } },
    ],
    [
      'its annotations come in another order',
      'JobFlow',
      annotated({ 'millrace.dev/retry': '1', 'millrace.dev/other': '2' }),
      annotated({ 'millrace.dev/other': '2', 'millrace.dev/retry': '1' }),
    ],
    ['its list of conditions is there and empty', 'Job', {}, { status: { conditions: [] } }],
    ['a foreign annotation came', 'JobFlow', {}, annotated({ 'example.com/note': 'x' })],
    ['labels changed', 'JobFlow', {}, { metadata: { labels: { team: 'x' } } }],
    ['one more pod is active', 'Job', { status: { active: 1 } }, { status: { active: 2 } }],
    [
      'a pod failed and is made anew',
      'Job',
      { status: { active: 1 } },
      { status: { active: 1, failed: 1 } },
    ],
    [
      'a condition says the same in other words',
      'Job',
      condition('Complete', 'True'),
      condition('Complete', 'True', 'm'),
    ],
    [
      'a scheduler counts its nodes anew',
      'Pod',
      notScheduled('0/3 nodes are available: 3 Insufficient cpu.'),
      notScheduled('0/40 nodes are available: 1 Too many pods, 39 Insufficient cpu.'),
    ],
    [
      'a kubelet tries to pull an image again',
      'Pod',
      onNode('ErrImagePull', 'not found'),
      onNode('ImagePullBackOff', 'Back-off pulling image'),
    ],
    ['a problem is over with its Pod', 'Pod', {}, { ...onNode(), metadata: deleted }],
  ])('%s', (_, kind, before, after) => {
    expect(differ(kind, before, after)).toBe(false);
  });
});

it('is a function of the object, whatever is stored in it', () => {
  fc.assert(
    fc.property(
      fc.constantFrom<WatchedKind>('JobFlow', 'JobTemplate', 'Job', 'Pod'),
      fc.jsonValue(),
      fc.jsonValue(),
      (kind, status, list) => {
        const object = {
          ...builders[kind](),
          status: kind === 'JobFlow' ? { jobStatusList: list } : status,
        } as KubeObject;
        expect(fingerprintOf(kind, object)).toEqual(fingerprintOf(kind, structuredClone(object)));
      },
    ),
  );
});

it('a flow that another controller runs has no fingerprint', () => {
  const managed = (managedBy: string) => fingerprintOf('JobFlow', flow({ spec: { managedBy } }));
  expect(managed('kueue.x-k8s.io/multikueue')).toBeUndefined();
  expect(managed('millrace.dev/jobflow-controller')).toBeDefined();
});

describe('the life of an ordinary Pod', () => {
  it('has one fingerprint from its creation to its end, as if it were not there', () => {
    const life = [
      {},
      { status: { phase: 'Pending' } },
      onNode(),
      onNode('PodInitializing'),
      {
        status: { phase: 'Running', containerStatuses: [{ name: 'main', state: { running: {} } }] },
      },
      { status: { phase: 'Succeeded' } },
      { status: { phase: 'Failed', reason: 'Evicted' } },
      { status: { phase: 'Running' }, metadata: deleted },
    ];
    for (const fields of life) {
      expect(fingerprintOf('Pod', pod(fields))).toBeUndefined();
    }
    expect(fingerprintOf('Pod', pod(onNode('ErrImagePull')))).toBeDefined();
    expect(fingerprintOf('Job', job())).toBeDefined();
  });
});
