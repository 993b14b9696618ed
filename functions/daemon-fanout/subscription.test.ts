import { describe, expect, it } from 'vitest';
import { nodeKey, storedLedger } from '#shared/api/node-ledger.ts';
import { annotations } from '#shared/domain/labels.ts';
import {
  asResourceVersion,
  asUid,
  type KubeObject,
  type ObjectMeta,
} from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { EventReference } from '#shared/events/event-reference.ts';
import type { SeenObjects } from '#shared/subscription/subscription.ts';
import { subscription } from './subscription.ts';
import { daemonJobsOfNode } from './subscription/daemon-jobs-of-node.ts';
import { keepOfNode, nodeFingerprint } from './subscription/node.ts';

const object = (kind: string, name: string, fields: Partial<KubeObject> = {}): KubeObject => {
  const metadata: ObjectMeta = {
    name,
    uid: asUid(`uid-of-${name}`),
    resourceVersion: asResourceVersion('1'),
    generation: 1,
    ...fields.metadata,
  };
  return { apiVersion: 'x', kind, ...fields, metadata };
};

const ready = (status: string, heartbeat = 1) => ({
  conditions: [
    { type: 'MemoryPressure', status: 'False', lastHeartbeatTime: heartbeat },
    { type: 'Ready', status, lastHeartbeatTime: heartbeat },
  ],
});
const node = (fields: Partial<KubeObject> = {}) =>
  object('Node', 'a', { status: ready('True'), ...fields });
const metadata = (more: Partial<ObjectMeta>) => ({ metadata: { ...node().metadata, ...more } });
const taints = [{ key: 'k', effect: 'NoSchedule' }];

const seeing = (daemonJobs: readonly KubeObject[], nodes: readonly KubeObject[]): SeenObjects => ({
  get: () => undefined,
  list: (resource) => (resource === resources.Node ? nodes : daemonJobs),
  listByOwner: () => [],
});

describe('a node', () => {
  const of = (fields: Partial<KubeObject>) => JSON.stringify(nodeFingerprint(node(fields)));

  it('wakes no DaemonJob with its heartbeats, its usage and its annotations', () => {
    const quiet = of({});
    expect(of({ status: ready('True', 2) })).toBe(quiet);
    expect(of({ status: { ...ready('True'), images: ['x'] } })).toBe(quiet);
    expect(of(metadata({ annotations: { a: 'b' } }))).toBe(quiet);
  });

  it.each<[string, Partial<KubeObject>]>([
    ['is not ready', { status: ready('False') }],
    ['is cordoned', { spec: { unschedulable: true } }],
    ['is tainted', { spec: { taints } }],
    ['is relabelled', metadata({ labels: { disk: 'fast' } })],
    ['is being deleted', metadata({ deletionTimestamp: '2026-01-05T10:00:00Z' })],
  ])('wakes when it %s', (_, fields) => {
    expect(of(fields)).not.toBe(of({}));
  });

  it('is kept with what its fingerprint and decisions read, and kept again as it is', () => {
    const whole = node({
      ...metadata({
        labels: { a: 'b' },
        annotations: { c: 'd' },
        deletionTimestamp: '2026-01-05T10:00:00Z',
      }),
      spec: { taints, unschedulable: true, podCIDR: '10.0.0.0/8' },
      status: { ...ready('True'), images: [] },
    });
    const kept = keepOfNode(whole);
    expect(nodeFingerprint(kept)).toEqual(nodeFingerprint(whole));
    expect(keepOfNode(kept)).toEqual(kept);
    expect(JSON.stringify(kept)).not.toMatch(/podCIDR|images|Heartbeat|annotations/);
  });

  it('is kept without what it does not have', () => {
    expect(keepOfNode(node())).toStrictEqual(JSON.parse(JSON.stringify(keepOfNode(node()))));
  });

  it('wakes what has not ended, and what goes on for ever', () => {
    const daemonJobs = [
      object('DaemonJob', 'new'),
      object('DaemonJob', 'running', { status: { state: 'Running' } }),
      object('DaemonJob', 'ended', { status: { state: 'Succeed' } }),
      object('DaemonJob', 'endless', {
        spec: { completionPolicy: 'Never' },
        status: { state: 'Succeed' },
      }),
    ];
    const keys = daemonJobsOfNode(seeing(daemonJobs, []))({} as EventReference);
    expect(keys.map(({ name }) => name)).toEqual(['new', 'running', 'endless']);
    expect(keys[0]).toMatchObject({ apiVersion: 'api.practice.com/v1alpha1', kind: 'DaemonJob' });
  });
});

describe('a DaemonJob is unfinished', () => {
  const spec = { template: { spec: { containers: [] } } };
  const ended = { state: 'Succeed', observedGeneration: 1, completionTime: '2026-01-05T10:00:00Z' };
  const nowMs = Date.parse('2026-01-05T10:01:00Z');
  const isUnfinished = (fields: Partial<KubeObject>, nodes: readonly KubeObject[] = []) =>
    subscription.isUnfinished(
      object('DaemonJob', 'd', { spec, ...fields }),
      seeing([], nodes),
      nowMs,
    );
  const own = (more: Partial<ObjectMeta>) => ({
    metadata: { ...object('DaemonJob', 'd').metadata, ...more },
  });

  it.each<[string, Partial<KubeObject>]>([
    ['without a status', {}],
    ['while it runs', { status: { state: 'Running', observedGeneration: 1 } }],
    ['when it was edited', { status: ended, ...own({ generation: 2 }) }],
    [
      'when a retry is asked for',
      { status: ended, ...own({ annotations: { [annotations.retry]: '1' } }) },
    ],
    [
      'when it has outlived its TTL',
      { status: ended, spec: { ...spec, ttlSecondsAfterFinished: 30 } },
    ],
    ['while it is being deleted', { status: ended, ...own({ deletionTimestamp: 'now' }) }],
  ])('%s', (_, fields) => {
    expect(isUnfinished(fields)).toBe(true);
  });

  it('but not for a TTL when it goes on for ever, which contradicts itself and stays as it failed', () => {
    const contradicting = { ...spec, completionPolicy: 'Never', ttlSecondsAfterFinished: 30 };
    const status = { ...ended, state: 'Failed', reason: 'InvalidSpec' };
    expect(isUnfinished({ spec: contradicting, status })).toBe(false);
  });

  it('when it goes on for ever and a node has not had its Job', () => {
    const endless = { ...spec, completionPolicy: 'Never' };
    const ledger = storedLedger(
      new Map([[nodeKey(node().metadata.uid), { state: 'Succeeded', attempt: 0 }]]),
    );
    expect(isUnfinished({ spec: endless, status: ended }, [node()])).toBe(true);
    expect(isUnfinished({ spec: endless, status: { ...ended, ledger } }, [node()])).toBe(false);
    const cordoned = node({ spec: { unschedulable: true } });
    expect(isUnfinished({ spec: endless, status: ended }, [cordoned])).toBe(false);
    const excluding = { ...endless, excludeNodeList: 'a' };
    expect(isUnfinished({ spec: excluding, status: ended }, [node()])).toBe(false);
  });

  it.each<[string, boolean, object, string?]>([
    ['and failed on another', true, { reason: 'NodeFailed' }],
    [
      'and stands still after a failure, which is not yet reported',
      true,
      { reason: 'NodeFailed' },
      'Pause',
    ],
    ['but not after the failure that ends it', false, { reason: 'NodeFailed' }, 'FailFast'],
    ['but not after its deadline', false, { reason: 'DeadlineExceeded' }],
  ])('when it goes on for ever, a node has not had its Job %s: %s', (_, expected, said, policy) => {
    const own = policy === undefined ? {} : { failurePolicy: policy };
    const endless = { ...spec, completionPolicy: 'Never', ...own };
    const status = { ...ended, state: 'Failed', ...said };
    expect(isUnfinished({ spec: endless, status }, [node()])).toBe(expected);
  });

  it('when it is endless and its status counts other nodes than there are', () => {
    const endless = { ...spec, completionPolicy: 'Never' };
    const ledger = storedLedger(
      new Map([[nodeKey(node().metadata.uid), { state: 'Succeeded', attempt: 0 }]]),
    );
    const of = (desired: number, skipped: number, fields: { excludeNodeList?: string } = {}) =>
      isUnfinished(
        { spec: { ...endless, ...fields }, status: { ...ended, ledger, desired, skipped } },
        [
          node(),
          node({
            metadata: { ...node().metadata, uid: asUid('another') },
            spec: { unschedulable: true },
          }),
        ],
      );
    expect(of(1, 1)).toBe(false);
    expect(of(0, 1)).toBe(true);
    expect(of(2, 1)).toBe(true);
    expect(of(1, 0)).toBe(true);
    expect(of(1, 0, { excludeNodeList: 'a' })).toBe(false);
  });

  it('when a Job of it has not ended', () => {
    const owned = (conditions: readonly object[]): SeenObjects => ({
      ...seeing([], []),
      listByOwner: () => [object('Job', 'j', { status: { conditions } })],
    });
    const daemonJob = object('DaemonJob', 'd', { spec, status: ended });
    expect(subscription.isUnfinished(daemonJob, owned([]), nowMs)).toBe(true);
    const failed = owned([{ type: 'Failed', status: 'True' }]);
    expect(subscription.isUnfinished(daemonJob, failed, nowMs)).toBe(false);
    const leaving = object('Job', 'j', own({ deletionTimestamp: 'now' }));
    const seen = { ...seeing([], []), listByOwner: () => [leaving] };
    expect(subscription.isUnfinished(daemonJob, seen, nowMs)).toBe(false);
  });

  it('is one that has ended, and whatever nodes come, not', () => {
    expect(isUnfinished({ status: ended }, [node()])).toBe(false);
  });
});
