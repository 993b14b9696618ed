import { describe, expect, it } from 'vitest';
import type { ClusterSuspendPolicySpec } from '#shared/api/suspend-policy.ts';
import {
  asResourceVersion,
  asUid,
  type KubeObject,
  type Resource,
} from '#shared/domain/objects.ts';
import { MillraceError } from '#shared/domain/errors.ts';
import { labels } from '#shared/domain/labels.ts';
import { resources } from '#shared/domain/resources.ts';
import { flow, job, ownedBy } from '#shared/domain/testing/objects.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { observe } from './observe.ts';
import { policyKey } from '#shared/suspension/selection.ts';
import { nights } from './testing/builders.ts';

function policy(
  name: string,
  spec: Partial<ClusterSuspendPolicySpec> = {},
  fields: {
    readonly cluster?: true;
    readonly deletionTimestamp?: string;
    readonly generation?: number;
  } = {},
): KubeObject {
  const { cluster, ...metadata } = fields;
  return {
    apiVersion: 'millrace.dev/v1alpha1',
    kind: cluster === true ? 'ClusterSuspendPolicy' : 'SuspendPolicy',
    metadata: {
      name,
      ...(cluster === true ? {} : { namespace: 'default' }),
      uid: asUid(`uid-of-${name}`),
      resourceVersion: asResourceVersion('1'),
      ...metadata,
    },
    spec: { schedule: nights, ...spec },
  };
}

const namespace = (name: string, labels: Readonly<Record<string, string>>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels, uid: asUid(name), resourceVersion: asResourceVersion('1') },
});

function readerOf(...objects: readonly KubeObject[]) {
  const lists: string[] = [];
  const reader = {
    get: async ({ kind }: Resource, { name }: { readonly name: string }) =>
      objects.find((object) => object.kind === kind && object.metadata.name === name),
    list: async ({ kind }: Resource, asOf?: 'now') => {
      lists.push(asOf === undefined ? kind : `${kind} ${asOf}`);
      return objects.filter((object) => object.kind === kind);
    },
  } as unknown as Reader;
  return { reader, lists };
}

/** An API server that does not serve this API group. */
const unserved =
  (reader: Reader, group = 'kueue.x-k8s.io'): Reader['list'] =>
  (resource) =>
    resource.group === group
      ? Promise.reject(
          new MillraceError('MR_API_NOT_FOUND', { verb: 'list', path: '', detail: '' }),
        )
      : reader.list(resource);

async function seen(own: KubeObject, ...others: readonly KubeObject[]) {
  const { reader } = readerOf(own, ...others);
  const snapshot = await observe(policyKey(own), reader);
  return {
    snapshot,
    names: snapshot?.objects.map(({ kind, name }) => `${kind} ${name}`),
  };
}

const tier = (value: string) => ({ metadata: { labels: { tier: value } } });

describe('what a policy sees', () => {
  it('is what it selects in its namespace, by kind and name, without children', async () => {
    const own = policy('own', { selector: { matchLabels: { tier: 'batch' } } });
    const { names } = await seen(
      own,
      job({ name: 'b', ...tier('batch') }),
      job({ name: 'a', ...tier('batch') }),
      job({ name: 'other', ...tier('web') }),
      job({ name: 'elsewhere', metadata: { labels: { tier: 'batch' }, namespace: 'far' } }),
      job({
        name: 'child',
        metadata: {
          ...ownedBy(flow()),
          labels: { tier: 'batch', [labels.ownerUid]: flow().metadata.uid },
        },
      }),
      flow({ name: 'f', ...tier('batch') }),
    );
    expect(names).toEqual(['Job a', 'Job b', 'JobFlow f']);
  });

  it('is of the kinds that it names, and nothing else is read', async () => {
    const own = policy('own', { kinds: ['JobFlow'] });
    const { reader, lists } = readerOf(own, job(), flow());
    const snapshot = await observe(policyKey(own), reader);
    expect(snapshot?.objects.map(({ kind }) => kind)).toEqual(['JobFlow']);
    expect(lists).not.toContain('Job');
    expect(lists).not.toContain('Namespace');
  });

  it.each([
    ['Namespace', ['default', 'default']],
    ['label:team', ['red', '']],
    [undefined, [undefined, undefined]],
  ])('is in groups by %s', async (groupBy, groups) => {
    const fairness = groupBy === undefined ? {} : { groupBy };
    const { snapshot } = await seen(
      policy('own', { capacity: { maxJobs: 1 }, fairness }),
      job({ name: 'a', metadata: { labels: { team: 'red' } } }),
      job({ name: 'b' }),
    );
    expect(snapshot?.objects.map(({ group }) => group)).toEqual(groups);
  });

  describe('where it has let something in', () => {
    const lastResumed = [{ object: 'Job/default/a', resourceVersion: '107' }];
    const own = { ...policy('own', { capacity: { maxJobs: 1 } }), status: { lastResumed } };
    const suspended = (name: string, version: string) =>
      job({
        name,
        metadata: { resourceVersion: asResourceVersion(version) },
        spec: { suspend: true },
      });

    it.each([
      ['starting while it is seen as it was', suspended('a', '107'), true],
      ['starting while it is seen as it was before that', suspended('a', '99'), true],
      ['as it is once a newer version is seen', suspended('a', '108'), undefined],
      ['as it is where versions do not compare', suspended('a', 'x'), undefined],
      ['not starting where another object was let in', suspended('b', '107'), undefined],
      [
        'running when it runs',
        job({ name: 'a', metadata: { resourceVersion: asResourceVersion('7') } }),
        undefined,
      ],
    ])('is %s', async (_, object, isStarting) => {
      const { snapshot } = await seen(own, object);
      expect(snapshot?.objects[0]?.isStarting).toBe(isStarting);
    });
  });

  it('is also what it holds and selects no more', async () => {
    const own = policy('own', { selector: { matchLabels: { tier: 'batch' } } });
    const heldBy = (uid: string) => ({
      metadata: {
        labels: { tier: 'web' },
        annotations: { 'millrace.dev/suspended-by': `${uid}/0` },
      },
      spec: { suspend: true },
    });
    const { snapshot } = await seen(
      own,
      job({ name: 'mine', ...heldBy('uid-of-own') }),
      job({ name: 'other', ...heldBy('uid-of-other') }),
    );
    expect(snapshot?.objects).toMatchObject([{ name: 'mine', isSelected: false }]);
  });

  it('includes a resumed object that still carries its mark only while the policy is being deleted', async () => {
    const selector = { matchLabels: { tier: 'batch' } };
    const annotations = { 'millrace.dev/suspended-by': 'uid-of-own/0' };
    const resumed = job({ name: 'resumed', metadata: { annotations }, spec: { suspend: false } });
    expect((await seen(policy('own', { selector }), resumed)).names).toEqual([]);
    const going = policy('own', { selector }, { deletionTimestamp: '2026-01-05T08:00:00Z' });
    expect((await seen(going, resumed)).names).toEqual(['Job resumed']);
  });

  it('is of all kinds once it was edited: it may hold one that it no longer names', async () => {
    const own = policy('own', { kinds: ['JobFlow'] }, { generation: 2 });
    const { lists, reader } = readerOf(own);
    await observe(policyKey(own), reader);
    expect(lists).toContain('Job');
  });

  it('is what the API server has when it goes and nothing seems to be held by it any more', async () => {
    const own = (spec = {}) => policy('own', spec, { deletionTimestamp: '2026-01-05T08:00:00Z' });
    const mine = {
      metadata: { annotations: { 'millrace.dev/suspended-by': 'uid-of-own/0' } },
      spec: { suspend: true },
    };
    const lastWord = async (going: KubeObject, ...others: readonly KubeObject[]) => {
      const { reader, lists } = readerOf(going, ...others);
      await observe(policyKey(going), reader);
      return lists.includes('Job now');
    };
    expect(await lastWord(own(), job())).toBe(true);
    expect(await lastWord(own(), job({ name: 'mine', ...mine }))).toBe(false);
    expect(await lastWord(own({ onDelete: 'Leave' }), job())).toBe(false);
    expect(await lastWord(policy('own'), job())).toBe(false);
  });

  it('is a queue of Kueue where it is named, also while the cluster serves none', async () => {
    const own = policy('own', { kinds: ['LocalQueue'] });
    const main = { ...namespace('main', {}), ...{ apiVersion: 'kueue.x-k8s.io/v1beta2' } };
    const queue = {
      ...main,
      kind: 'LocalQueue',
      metadata: { ...main.metadata, namespace: 'default' },
      spec: { stopPolicy: 'Hold' },
    };
    expect((await seen(own, queue)).names).toEqual(['LocalQueue main']);
    const { reader } = readerOf(own);
    const without = { ...reader, list: unserved(reader) };
    const snapshot = await observe(policyKey(own), without);
    expect(snapshot?.objects).toEqual([]);
    const failing = { ...reader, list: () => Promise.reject(new Error('away')) };
    await expect(observe(policyKey(own), failing)).rejects.toThrow('away');
  });

  it('is not passed over where a kind of ours is not served', async () => {
    const own = policy('own', { kinds: ['DaemonJob'] });
    const { reader } = readerOf(own);
    const without = { ...reader, list: unserved(reader, resources.DaemonJob.group) };
    await expect(observe(policyKey(own), without)).rejects.toMatchObject({
      code: 'MR_API_NOT_FOUND',
    });
  });

  it('is no queue that need not be there, unless it may hold one of before', async () => {
    const asked = async (own: KubeObject) => {
      const { reader, lists } = readerOf(own);
      await observe(policyKey(own), reader);
      return lists.includes('LocalQueue');
    };
    const edited = policy('own', {}, { generation: 2 });
    expect(await asked(edited)).toBe(false);
    expect(await asked({ ...edited, status: { observedGeneration: 1 } })).toBe(true);
    expect(await asked({ ...edited, status: { observedGeneration: 2 } })).toBe(false);
  });

  it('is read before the policies, so that nothing is marked by one that is not known', async () => {
    const own = policy('own');
    const { lists, reader } = readerOf(own);
    await observe(policyKey(own), reader);
    expect(lists.indexOf('SuspendPolicy')).toBeGreaterThan(lists.lastIndexOf('DaemonJob'));
  });

  it('is of the namespaces that a policy of the cluster selects', async () => {
    const own = policy(
      'own',
      { namespaceSelector: { matchLabels: { team: 'a' } } },
      { cluster: true },
    );
    const { names } = await seen(
      own,
      namespace('default', { team: 'a' }),
      namespace('far', { team: 'b' }),
      job({ name: 'near' }),
      job({ name: 'away', metadata: { namespace: 'far' } }),
    );
    expect(names).toEqual(['Job near']);
  });

  it('are the other policies of the same objects', async () => {
    const own = policy('own');
    const { snapshot } = await seen(
      own,
      policy('z-same', { precedence: 7, capacity: { maxJobs: 1 } }),
      policy('a-other', { selector: { matchLabels: { tier: 'web' } } }),
      policy('gone', {}, { deletionTimestamp: 'now' }),
      policy('dry', { dryRun: true }),
      policy('broken', { schedule: { ...nights, timeZone: 'Mars/Base' } }),
      policy('wide', {}, { cluster: true }),
      job({ name: 'a' }),
    );
    expect(snapshot?.rivals).toMatchObject([
      { key: 'ClusterSuspendPolicy/wide', schedule: nights },
      { key: 'SuspendPolicy/default/a-other' },
      { key: 'SuspendPolicy/default/z-same', precedence: 7, hasCapacity: true },
    ]);
    expect(snapshot?.rivals[1]).not.toHaveProperty('schedule');
    expect(snapshot?.objects[0]?.rivals).toEqual([0, 2]);
  });

  it('is no policy that had its name before it, which a list that is behind still shows', async () => {
    const own = policy('own');
    const before = { ...own, metadata: { ...own.metadata, uid: asUid('before') } };
    const { reader } = readerOf(own, before, job({ name: 'a' }));
    const snapshot = await observe(policyKey(own), reader);
    expect(snapshot?.rivals).toEqual([]);
    expect(snapshot?.objects[0]).not.toHaveProperty('rivals');
  });

  it('is nothing when it is gone, or another one has its name', async () => {
    const own = policy('own');
    const key = policyKey(own);
    expect(await observe(key, readerOf().reader)).toBeUndefined();
    const other = { ...key, uid: asUid('other') };
    expect(await observe(other, readerOf(own).reader)).toBeUndefined();
  });
});

describe('what Kueue runs', () => {
  const queued = (name: string, fields: Parameters<typeof job>[0] = {}) =>
    job({
      name,
      ...fields,
      metadata: {
        labels: { 'kueue.x-k8s.io/queue-name': 'main' },
        annotations: {
          'millrace.dev/suspended-by': 'of-before/0',
          'millrace.dev/held': 'of the Job',
        },
      },
    });
  const workload = (
    of: KubeObject,
    name: string,
    fields: {
      readonly active?: boolean;
      readonly mark?: string;
      readonly createdAt?: string;
      readonly isFinished?: true;
      readonly isOurs?: false;
    } = {},
  ): KubeObject => ({
    apiVersion: 'kueue.x-k8s.io/v1beta2',
    kind: 'Workload',
    metadata: {
      ...{ name, namespace: 'default', uid: asUid(`uid-of-${name}`), generation: 4 },
      resourceVersion: asResourceVersion('44'),
      creationTimestamp: fields.createdAt ?? '2026-01-05T08:00:00Z',
      ownerReferences: [
        {
          ...{ apiVersion: 'batch/v1', kind: 'Job', name: of.metadata.name },
          ...{ uid: of.metadata.uid, controller: fields.isOurs ?? true },
        },
      ],
      ...(fields.mark === undefined
        ? {}
        : { annotations: { 'millrace.dev/suspended-by': fields.mark } }),
    },
    spec: { active: fields.active ?? true },
    status:
      fields.isFinished === undefined ? {} : { conditions: [{ type: 'Finished', status: 'True' }] },
  });

  it('is held by its Workload, of which it has state, version and mark', async () => {
    const a = queued('a', { spec: { suspend: true } });
    const theirs = workload(a, 'of-a', { active: false, mark: 'p/1' });
    const [found] = (await seen(policy('own'), a, theirs)).snapshot?.objects ?? [];
    expect(found).toMatchObject({
      ...{ kind: 'Job', name: 'a', uid: a.metadata.uid },
      ...{ suspend: true, waits: true, hasRun: true, mark: 'p/1' },
      ...{ generation: 4, resourceVersion: '44' },
      ...{ workload: { name: 'of-a', uid: 'uid-of-of-a' }, told: 'of the Job' },
    });
    expect(found).not.toHaveProperty('held');
    expect(found).not.toHaveProperty('untouchable');
    const running = queued('a', { spec: { suspend: false } });
    const admitted = await seen(policy('own'), running, workload(running, 'of-a'));
    expect(admitted.snapshot?.objects[0]).toMatchObject({ suspend: false });
    expect(admitted.snapshot?.objects[0]).not.toHaveProperty('waits');
    expect(admitted.snapshot?.objects[0]).not.toHaveProperty('mark');
  });

  it('is held by the latest of its Workloads that has not finished', async () => {
    const a = queued('a');
    const { snapshot } = await seen(
      policy('own'),
      a,
      workload(a, 'newer', { createdAt: '2026-01-05T10:00:00Z' }),
      workload(a, 'older', { createdAt: '2026-01-05T09:00:00Z' }),
      workload(a, 'ended', { createdAt: '2026-01-05T11:00:00Z', isFinished: true }),
    );
    expect(snapshot?.objects[0]?.workload?.name).toBe('newer');
  });

  it('is left alone where Kueue has made no Workload of it, or is not there', async () => {
    const a = queued('a');
    const other = workload(a, 'of-a', { isOurs: false });
    const { snapshot } = await seen(policy('own'), a, other);
    expect(snapshot?.objects).toMatchObject([{ name: 'a', untouchable: 'Kueue' }]);
    const { reader } = readerOf(policy('own'), a);
    const without = { ...reader, list: unserved(reader) };
    const alone = await observe(policyKey(policy('own')), without);
    expect(alone?.objects).toMatchObject([{ name: 'a', untouchable: 'Kueue' }]);
  });

  it('has no Workload of its own kind asked for where nothing is of Kueue', async () => {
    const own = policy('own');
    const { reader, lists } = readerOf(own, job({ name: 'a' }));
    await observe(policyKey(own), reader);
    expect(lists).not.toContain('Workload');
  });

  it('is placed and counted by Kueue', async () => {
    const a = queued('a');
    const placement = { nodeSelector: { pool: 'spot' } };
    const own = policy('own', {
      capacity: { resources: { cpu: 1 } },
      onResume: { placement },
    });
    const [found] = (await seen(own, a, workload(a, 'of-a'))).snapshot?.objects ?? [];
    expect(found).not.toHaveProperty('pod');
    expect(found).not.toHaveProperty('requests');
  });

  it('is what the policy holds by its Workload and selects no more', async () => {
    const own = policy('own', { selector: { matchLabels: { tier: 'batch' } } });
    const a = queued('a');
    const mine = workload(a, 'of-a', { active: false, mark: 'uid-of-own/0' });
    const { snapshot } = await seen(own, a, mine);
    expect(snapshot?.objects).toMatchObject([{ name: 'a', isSelected: false }]);
  });
});

describe('the priority', () => {
  const high = {
    ...namespace('high', {}),
    ...{ apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', value: 1_000 },
  };
  const usual = {
    ...high,
    metadata: { ...high.metadata, name: 'usual' },
    value: 5,
    globalDefault: true,
  };
  const inClass = (name: string) =>
    job({ name, spec: { template: { spec: { priorityClassName: name } } } });

  it('is that of the class of its Pods, else of the usual one', async () => {
    const { snapshot } = await seen(
      policy('own'),
      high,
      usual,
      inClass('high'),
      job({ name: 'plain' }),
    );
    expect(snapshot?.objects.map(({ name, priority }) => [name, priority])).toEqual([
      ['high', 1_000],
      ['plain', 5],
    ]);
  });

  it('is a number in a label where the policy says so', async () => {
    const own = policy('own', { order: { priorityFrom: 'label:prio' } });
    const labelled = (name: string, prio: string) => job({ name, metadata: { labels: { prio } } });
    const { snapshot } = await seen(
      own,
      high,
      labelled('a', '-7'),
      labelled('b', 'urgent'),
      inClass('high'),
    );
    expect(snapshot?.objects.map(({ name, priority }) => [name, priority])).toEqual([
      ['a', -7],
      ['b', 0],
      ['high', 0],
    ]);
    const faults = snapshot?.objects.map(({ priorityFault }) => priorityFault);
    const why =
      'the label prio counts as priority 0: "urgent" is no whole number of at most nine digits';
    expect(faults).toEqual([undefined, why, undefined]);
  });
});

describe('in an exempt namespace a policy of the cluster', () => {
  const nameLabel = 'kubernetes.io/metadata.name';
  const inSystem = job({ name: 'a', metadata: { namespace: 'kube-system' } });
  const system = namespace('kube-system', { [nameLabel]: 'kube-system', team: 'a' });
  const selectedBy = async (
    namespaceSelector: ClusterSuspendPolicySpec['namespaceSelector'],
    exempt?: readonly string[],
  ) => {
    const spec = namespaceSelector === undefined ? {} : { namespaceSelector };
    const own = policy('p', spec, { cluster: true });
    const { reader } = readerOf(own, system, inSystem);
    const snapshot = await observe(policyKey(own), reader, exempt);
    return snapshot?.objects.map(({ name }) => name);
  };

  it.each([
    ['without a selector', undefined],
    ['that selects by another label', { matchLabels: { team: 'a' } }],
    [
      'that names what it leaves out',
      { matchExpressions: [{ key: nameLabel, operator: 'NotIn', values: ['default'] }] },
    ],
    [
      'that asks whether there is a name',
      { matchExpressions: [{ key: nameLabel, operator: 'Exists' }] },
    ],
  ] as const)('selects nothing %s', async (_, namespaceSelector) => {
    expect(await selectedBy(namespaceSelector)).toEqual([]);
  });

  it.each([
    { matchLabels: { [nameLabel]: 'kube-system' } },
    { matchExpressions: [{ key: nameLabel, operator: 'In', values: ['x', 'kube-system'] }] },
  ] as const)('selects what is there when it names it: %j', async (namespaceSelector) => {
    expect(await selectedBy(namespaceSelector)).toEqual(['a']);
  });

  it('selects what is there where the namespace is the only one served', async () => {
    expect(await selectedBy(undefined, [])).toEqual(['a']);
  });
});
