import { describe, expect, it } from 'vitest';
import { nodeKey } from '#shared/api/node-ledger.ts';
import { MillraceError } from '#shared/domain/errors.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import { nodeJobName } from '#shared/domain/node-job-name.ts';
import {
  apiVersionOf,
  asResourceVersion,
  asUid,
  isControlledBy,
  type KubeObject,
  type Resource,
} from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { daemonFanout } from './function.ts';
import type { Circumstances } from '#shared/runtime/function/event-function.ts';
import { observe } from './observe.ts';
import {
  at,
  daemonJob,
  ownerName,
  ownerUid,
  started,
  t0,
  type DaemonJobFields,
} from './testing/builders.ts';

const { DaemonJob, Job, Node, Pod } = resources;
const key = {
  apiVersion: apiVersionOf(DaemonJob),
  kind: DaemonJob.kind,
  namespace: 'default',
  name: ownerName,
  uid: ownerUid,
};

/** The objects of a cluster, what its lists lack, and the requests that it got. */
class Cluster implements Reader {
  readonly asked: string[] = [];
  readonly objects = new Map<Resource, KubeObject[]>();
  readonly unlisted = new Set<string>();
  /** Deleted Jobs that lists still contain. */
  readonly stillListed: KubeObject[] = [];
  removed: readonly string[] | undefined = [];
  isOfNow = false;
  /** Earlier nodes that lists contain instead of those with the same names. */
  shownInstead: readonly KubeObject[] = [];

  constructor(fields: DaemonJobFields = {}) {
    this.objects.set(DaemonJob, [daemonJob(fields)]);
  }

  with(resource: Resource, ...objects: readonly KubeObject[]): this {
    this.objects.set(resource, [...this.#all(resource), ...objects]);
    return this;
  }

  get(
    resource: Resource,
    { name }: { readonly name: string },
    _?: string,
    asOf?: 'now',
  ): Promise<KubeObject | undefined> {
    this.asked.push([`get ${resource.kind} ${name}`, asOf ?? []].flat().join(' '));
    return Promise.resolve(this.#all(resource).find(({ metadata }) => metadata.name === name));
  }

  eventsAbout({ uid }: { readonly uid: string }): Promise<readonly KubeObject[]> {
    this.asked.push(`list Event about ${uid}`);
    return Promise.resolve(this.#all(resources.Event));
  }

  list(resource: Resource, asOf?: 'now'): Promise<readonly KubeObject[]> {
    this.asked.push(asOf === undefined ? `list ${resource.kind}` : `list ${resource.kind} now`);
    return Promise.resolve(asOf === 'now' ? this.#all(resource) : this.#listed(resource));
  }

  listByOwner(
    resource: Resource,
    { uid }: { readonly uid: string },
    now?: { readonly fieldSelector: string },
  ) {
    this.asked.push(`list ${resource.kind}${now === undefined ? '' : ` ${now.fieldSelector}`}`);
    const listed = now === undefined ? this.#listed(resource) : this.#all(resource);
    return Promise.resolve(listed.filter(({ metadata }) => isControlledBy(metadata, asUid(uid))));
  }

  isCurrent(): boolean {
    return this.isOfNow;
  }

  listByOwners(resource: Resource, _: unknown, children: readonly string[]) {
    this.asked.push(`list ${resource.kind}`);
    return Promise.resolve(
      this.#listed(resource).filter(({ metadata }) =>
        children.some((uid) => isControlledBy(metadata, asUid(uid))),
      ),
    );
  }

  onceThere() {
    return this.removed && { traces: this.removed, isWhole: true };
  }

  #all(resource: Resource): readonly KubeObject[] {
    return this.objects.get(resource) ?? [];
  }

  #listed(resource: Resource): readonly KubeObject[] {
    const there = this.#all(resource).filter(({ metadata }) => !this.unlisted.has(metadata.name));
    if (resource === Job) return [...there, ...this.stillListed];
    const instead = resource === Node ? this.shownInstead : [];
    const names = new Set(instead.map(({ metadata }) => metadata.name));
    return [...there.filter(({ metadata }) => !names.has(metadata.name)), ...instead];
  }
}

/** The trace of the Job of this name that was for the node. */
function left(nodeName: string, jobName: string): string {
  return `${jobName}/uid-of-${nodeName}`;
}

function node(name: string, fields: Partial<KubeObject> = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      uid: asUid(`uid-of-${name}`),
      resourceVersion: asResourceVersion('1'),
      creationTimestamp: at(-60),
    },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
    ...fields,
  };
}

function createdAt(seconds: number, { metadata, ...rest }: KubeObject): KubeObject {
  return { ...rest, metadata: { ...metadata, creationTimestamp: at(seconds) } };
}

function job(nodeName: string, status: object = {}, owner: string = ownerUid): KubeObject {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: nodeJobName(ownerName, nodeName, 0),
      namespace: 'default',
      uid: asUid(`uid-of-job-${nodeName}`),
      resourceVersion: asResourceVersion('1'),
      labels: { [labels.nodeUid]: `uid-of-${nodeName}`, [labels.attempt]: '0' },
      annotations: { [annotations.nodeName]: nodeName },
      ownerReferences: [
        {
          apiVersion: 'x',
          kind: 'DaemonJob',
          name: ownerName,
          uid: asUid(owner),
          controller: true,
        },
      ],
    },
    spec: {},
    status,
  };
}

async function seen(cluster: Cluster, circumstances: Circumstances = {}) {
  const snapshot = await observe(key, cluster, circumstances);
  if (snapshot === undefined) throw new Error('the DaemonJob is not seen');
  return snapshot;
}

describe('observe', () => {
  it('sees nothing of a DaemonJob that is gone, or is another one under its name', async () => {
    const cluster = new Cluster();
    expect(await observe({ ...key, name: 'other' }, cluster)).toBeUndefined();
    expect(await observe({ ...key, uid: asUid('other') }, cluster)).toBeUndefined();
  });

  it('sees nodes by name, with why they cannot run it, and nothing else of them', async () => {
    const cluster = new Cluster().with(
      Node,
      node('b', { spec: { unschedulable: true } }),
      node('a'),
    );
    expect((await seen(cluster)).nodes).toEqual([
      { name: 'a', uid: 'uid-of-a', key: nodeKey(asUid('uid-of-a')), creationTimestamp: at(-60) },
      {
        name: 'b',
        uid: 'uid-of-b',
        key: nodeKey(asUid('uid-of-b')),
        creationTimestamp: at(-60),
        skip: { reason: 'Cordoned', message: 'the node is cordoned' },
      },
    ]);
  });

  it('reads no nodes of one that is over for good, and its Jobs, of which one may be left', async () => {
    const status = started({ a: 'Succeeded' }, { state: 'Succeed' });
    const cluster = new Cluster({ status }).with(Node, node('a'));
    expect((await seen(cluster)).nodes).toEqual([]);
    expect(cluster.asked).toEqual([`get DaemonJob ${ownerName}`, 'list Job']);
  });

  it('reads them of one that has ended and goes on for ever', async () => {
    const status = started({ a: 'Succeeded' }, { state: 'Succeed' });
    const cluster = new Cluster({ status, spec: { completionPolicy: 'Never' } });
    expect((await seen(cluster.with(Node, node('a')))).nodes).toHaveLength(1);
  });

  it('asks for a node that the list lacks before its Job is taken for orphaned', async () => {
    const cluster = new Cluster().with(Node, node('a')).with(Job, job('a'));
    cluster.unlisted.add('a');
    expect((await seen(cluster)).nodes.map(({ name }) => name)).toEqual(['a']);
    expect(cluster.asked).toContain('get Node a');
  });

  describe('where a list shows another machine than the one that a Job runs on', () => {
    const machine = (name: string, uid: string) => {
      const { metadata, ...rest } = node(name);
      return { ...rest, metadata: { ...metadata, uid: asUid(uid) } };
    };
    const there = () => new Cluster().with(Node, node('a'), node('b')).with(Job, job('a'));

    it('takes the machine for there when the API server has it under this name', async () => {
      const cluster = there();
      cluster.shownInstead = [machine('a', 'uid-of-former-a')];
      expect((await seen(cluster)).nodes.map(({ uid }) => uid)).toEqual(['uid-of-a', 'uid-of-b']);
      expect(cluster.asked).toContain('get Node a now');
    });

    it('knows of no machine of this name when the API server has none', async () => {
      const cluster = new Cluster().with(Node, node('b')).with(Job, job('a'));
      cluster.shownInstead = [machine('a', 'uid-of-former-a')];
      expect((await seen(cluster)).nodes.map(({ uid }) => uid)).toEqual(['uid-of-b']);
    });

    it('asks as well about a Job that is found by its name only', async () => {
      const cluster = there();
      cluster.unlisted.add('wipe-a');
      cluster.shownInstead = [machine('a', 'uid-of-former-a')];
      cluster.objects.set(DaemonJob, [daemonJob({ status: started({ 'former-a': 'Started' }) })]);
      const { nodes, jobs } = await seen(cluster);
      expect(nodes.map(({ uid }) => uid)).toEqual(['uid-of-a', 'uid-of-b']);
      expect(jobs.map(({ name }) => name)).toEqual(['wipe-a']);
    });

    const ended = { conditions: [{ type: 'Complete', status: 'True' }] };

    it('asks as well about a Job that has ended where the machine in sight is to start one', async () => {
      const cluster = new Cluster().with(Node, node('a')).with(Job, job('a', ended));
      cluster.shownInstead = [machine('a', 'uid-of-former-a')];
      expect((await seen(cluster)).nodes.map(({ uid }) => uid)).toEqual(['uid-of-a']);
    });

    it('asks as well where the machine in sight seems to be the younger one, since clocks are set', async () => {
      const own = job('a');
      const cluster = new Cluster().with(Node, node('a'), node('b')).with(Job, {
        ...own,
        metadata: { ...own.metadata, creationTimestamp: at(0) },
      });
      cluster.shownInstead = [createdAt(1, machine('a', 'uid-of-former-a'))];
      expect((await seen(cluster)).nodes.map(({ uid }) => uid)).toEqual(['uid-of-a', 'uid-of-b']);
    });

    it.each([
      ['is on its way out', {}, { deletionTimestamp: 'now' }, {}],
      ['has ended where the machine has its record', { a: 'Succeeded' }, {}, {}],
      ['has ended where the machine runs nothing', {}, {}, { spec: { unschedulable: true } }],
    ])('asks nothing about one that %s', async (_, ledger, fields, cordon) => {
      const own = job('a', 'deletionTimestamp' in fields ? {} : ended);
      const running = job('b');
      const cluster = new Cluster({ status: started(ledger as Parameters<typeof started>[0]) })
        .with(Node, node('b'))
        .with(Job, { ...own, metadata: { ...own.metadata, ...fields } }, running);
      const labelled = { ...own.metadata.labels, [labels.nodeUid]: 'uid-of-former-a' };
      cluster.objects.set(Job, [
        { ...own, metadata: { ...own.metadata, ...fields, labels: labelled } },
        running,
      ]);
      cluster.shownInstead = [node('a', cordon)];
      await seen(cluster);
      expect(cluster.asked.filter((each) => each.startsWith('get Node'))).toEqual([]);
    });
  });

  it('asks the API server under a limit for the Jobs that run, before one more starts', async () => {
    const cluster = new Cluster({ spec: { parallelism: 1 } })
      .with(Node, node('a'), node('b'))
      .with(Job, job('a'));
    cluster.unlisted.add('wipe-a');
    expect((await seen(cluster)).jobs.map(({ name }) => name)).toEqual(['wipe-a']);
    expect(cluster.asked).toContain('list Job status.successful=0');
  });

  it('takes no Job for there whose name another one has where the API server is asked', async () => {
    const cluster = new Cluster({ spec: { parallelism: 2 } })
      .with(Node, node('a'), node('b'))
      .with(Job, job('a'));
    cluster.unlisted.add('wipe-a');
    const { metadata, ...rest } = job('a');
    cluster.stillListed.push({ ...rest, metadata: { ...metadata, uid: asUid('uid-of-old') } });
    expect((await seen(cluster)).jobs.map(({ uid }) => uid)).toEqual(['uid-of-job-a']);
  });

  it('believes a list of Jobs under a limit that own writes show to be current', async () => {
    const cluster = new Cluster({ spec: { parallelism: 1 } }).with(Node, node('a'), node('b'));
    cluster.isOfNow = true;
    await seen(cluster);
    expect(cluster.asked.filter((line) => line.startsWith('list Job'))).toEqual(['list Job']);
  });

  it('asks for them where the list has the Job of a machine whose successor is on record as started', async () => {
    const done = { conditions: [{ type: 'Failed', status: 'True' }] };
    const status = started({ a: 'Started' });
    const cluster = new Cluster({ spec: { parallelism: 1 }, status })
      .with(Node, node('a'), node('b'))
      .with(Job, job('a'));
    cluster.isOfNow = true;
    cluster.unlisted.add('wipe-a');
    const { metadata, ...rest } = job('a', done);
    const own = { ...metadata.labels, [labels.nodeUid]: 'uid-of-former-a' };
    cluster.stillListed.push({
      ...rest,
      metadata: { ...metadata, uid: asUid('uid-of-former-job'), labels: own },
    });
    expect((await seen(cluster)).jobs.map(({ uid }) => uid)).toEqual(['uid-of-job-a']);
  });

  it('asks for them where one runs by the record on a machine that is not in sight', async () => {
    const status = started({ a: 'Started' });
    const cluster = new Cluster({ spec: { parallelism: 1 }, status })
      .with(Node, node('a'), node('b'))
      .with(Job, job('a'));
    cluster.isOfNow = true;
    for (const name of ['a', 'wipe-a']) cluster.unlisted.add(name);
    expect((await seen(cluster)).jobs.map(({ name }) => name)).toEqual(['wipe-a']);
  });

  it('reads all nodes from the API server for an end, with the Jobs of those that the list lacked', async () => {
    const done = { conditions: [{ type: 'Complete', status: 'True' }] };
    const status = started({ a: 'Started', b: 'Started', c: 'Started' });
    const cluster = new Cluster({ status })
      .with(Node, node('c'), node('b'), node('a'))
      .with(Job, job('a', done), job('b', done));
    for (const name of ['b', 'c', 'wipe-b']) cluster.unlisted.add(name);
    const { nodes, jobs, confirmedMissing } = await seen(cluster, { now: Node });
    expect(nodes.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(jobs.map(({ name }) => name)).toEqual(['wipe-a', 'wipe-b']);
    expect(confirmedMissing).toEqual(['wipe-c']);
  });

  it('reads no node again that the list of the API server shows or lacks', async () => {
    const cluster = new Cluster({ status: started({ a: 'Started' }) })
      .with(Node, node('b'))
      .with(Job, job('gone'), job('b', {}, ownerUid));
    cluster.objects.set(Node, [
      { ...node('b'), metadata: { ...node('b').metadata, uid: asUid('another') } },
    ]);
    const { nodes } = await seen(cluster, { now: Node });
    expect(nodes.map(({ name, uid }) => [name, uid])).toEqual([['b', 'another']]);
    expect(cluster.asked.filter((line) => line.includes('Node'))).toEqual(['list Node now']);
  });

  it('asks the API server for no nodes unless an end rests on them', async () => {
    const cluster = new Cluster().with(Node, node('a')).with(Job, job('a'));
    await seen(cluster);
    expect(cluster.asked.filter((line) => line.includes('Node'))).toEqual(['list Node']);
  });

  it('does not ask for a node whose Job has ended', async () => {
    const done = { conditions: [{ type: 'Complete', status: 'True' }] };
    const cluster = new Cluster().with(Job, job('gone', done));
    await seen(cluster);
    expect(cluster.asked).not.toContain('get Node gone');
  });

  it('takes a started Job for missing only when its name is free, or another owner has it', async () => {
    const status = started({ a: 'Started', b: 'Started', c: 'Started' });
    const cluster = new Cluster({ status })
      .with(Node, node('a'), node('b'), node('c'))
      .with(Job, job('a'), job('b', {}, 'another-owner'));
    cluster.unlisted.add('wipe-a');
    const { jobs, confirmedMissing, noticesRemovals } = await seen(cluster);
    expect(jobs.map(({ name }) => name)).toEqual(['wipe-a']);
    expect(confirmedMissing).toEqual(['wipe-b', 'wipe-c']);
    expect(noticesRemovals).toBe(true);
  });

  it('asks for a Job that was seen to go before the status recorded it', async () => {
    const cluster = new Cluster({ status: started({ b: 'Succeeded' }) });
    cluster.with(Node, node('a'), node('b'));
    cluster.removed = [left('a', 'wipe-a'), left('b', 'wipe-b')];
    expect((await seen(cluster)).confirmedMissing).toEqual(['wipe-a']);
  });

  it('does not ask for a Job that was deleted for its excluded node, as the status records', async () => {
    const cluster = new Cluster({ status: started({ a: 'Retired', b: 'Succeeded' }) });
    cluster.with(Node, node('a'), node('b'));
    cluster.removed = [left('a', 'wipe-a')];
    expect((await seen(cluster)).confirmedMissing).toEqual([]);
  });

  it('asks for a Job of a retry that is not on record, and that was seen to go', async () => {
    const retried = started({ a: { state: 'Retrying', attempt: 1 }, b: 'Succeeded' });
    const cluster = new Cluster({ status: retried });
    cluster.with(Node, node('a'), node('b'));
    const [first, second] = [nodeJobName(ownerName, 'a', 1), nodeJobName(ownerName, 'b', 1)];
    cluster.removed = [left('a', 'wipe-a'), left('a', first), left('b', second)];
    expect((await seen(cluster)).confirmedMissing).toEqual([first]);
  });

  it.each([
    ['was for another machine of the name', left('former', 'wipe-a')],
    ['lost the label that says which machine it was for', 'wipe-a'],
  ])('asks nothing about a Job that went and %s', async (_, trace) => {
    const cluster = new Cluster({ status: started() }).with(Node, node('a'));
    cluster.removed = [trace];
    expect((await seen(cluster)).confirmedMissing).toEqual([]);
    expect(cluster.asked).toEqual([`get DaemonJob ${ownerName}`, 'list Job', 'list Node']);
  });

  it('says so when a removal would go unnoticed', async () => {
    const cluster = new Cluster().with(Node, node('a'));
    cluster.removed = undefined;
    expect(await seen(cluster)).not.toHaveProperty('noticesRemovals');
  });

  it('reads Pods of what failed, and of what is on record as started and not ready', async () => {
    const failed = { conditions: [{ type: 'Failed', status: 'True' }], failed: 1 };
    const held = { active: 1, startTime: at(1) };
    const fine = { active: 1, ready: 1, startTime: at(1) };
    const status = started({ held: 'Started', fine: 'Started' });
    const nodes = ['failed', 'held', 'fine', 'fresh'].map((name) => node(name));
    const cluster = new Cluster({ status })
      .with(Node, ...nodes)
      .with(Job, job('failed', failed), job('held', held), job('fine', fine), job('fresh', held));
    const { jobs } = await seen(cluster);
    expect(jobs.filter(({ pods }) => pods !== undefined).map(({ name }) => name)).toEqual([
      'wipe-failed',
      'wipe-held',
    ]);
    expect(cluster.asked.filter((line) => line === `list ${Pod.kind}`)).toHaveLength(1);
  });

  it('reads the Events of a Job that has no Pod, and no others', async () => {
    const status = started({ a: 'Started', b: 'Started' });
    const cluster = new Cluster({ status })
      .with(Node, node('a'), node('b'))
      .with(
        Job,
        job('a', { startTime: at(1) }),
        job('b', { startTime: at(1), active: 1, ready: 1 }),
      )
      .with(resources.Event, {
        ...node('refusal'),
        ...{ reason: 'FailedCreate', message: 'Error creating: not here', lastTimestamp: at(2) },
      });
    const asked = () => cluster.asked.filter((each) => each.startsWith('list Event'));
    await observe(key, cluster, { nowMs: t0 + 10_000 });
    expect(asked()).toEqual([]);
    const seen = await observe(key, cluster, { nowMs: t0 + 11_000 });
    expect(seen?.jobs.map(({ pods }) => pods?.events?.refusal)).toEqual(['not here', undefined]);
    expect(asked()).toEqual(['list Event about uid-of-job-a']);
  });

  it('goes on without Pods that it may not read', async () => {
    const status = started({ a: 'Started' });
    const cluster = new Cluster({ status }).with(Node, node('a'));
    cluster.with(Job, job('a', { active: 1, startTime: at(1) }));
    cluster.listByOwners = () => {
      throw new MillraceError('MR_API_FORBIDDEN', { verb: 'list', path: '/pods', detail: 'no' });
    };
    expect((await seen(cluster)).jobs).toHaveLength(1);
  });

  it('keeps of the annotations what users and admission say to Millrace', async () => {
    const cluster = new Cluster();
    const plain = daemonJob();
    const own = { [annotations.retry]: '1', [annotations.submitter]: '{"username":"ann"}' };
    const metadata = { ...plain.metadata, annotations: { ...own, note: 'x' } };
    cluster.objects.set(DaemonJob, [{ ...plain, metadata }]);
    const observed = await seen(cluster);
    expect(observed.daemonJob.metadata.annotations).toEqual(own);
    expect(daemonFanout.submitterOf?.(observed)).toMatchObject({ username: 'ann' });
  });

  it('hashes what is frozen before the start and after a change only', async () => {
    const fresh = await seen(new Cluster());
    expect(fresh.specHash).toMatch(/^[0-9a-f]{16}$/);
    expect(await seen(new Cluster({ status: started() }))).not.toHaveProperty('specHash');
    const edited = new Cluster({ status: started(), generation: 2 });
    expect((await seen(edited)).specHash).toBe(fresh.specHash);
  });
});
