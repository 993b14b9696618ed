import { describe, expect, it } from 'vitest';
import type { StepRecord } from '#shared/api/job-flow.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import { asUid } from '#shared/domain/objects.ts';
import { redactEnv } from '#shared/domain/redact.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { flowAdvance } from './function.ts';
import { observe } from './observe.ts';
import { asObservedJob } from '#shared/domain/observed-job.ts';
import { at, flow, record, started, step } from './testing/builders.ts';
import { ModelCluster } from './testing/model-cluster.ts';
import { resources } from '#shared/domain/resources.ts';
import { seen, storedJob, storedTemplate } from './testing/stored.ts';

const steps = [step('a'), step('b', { after: ['a'] })];

describe('observe', () => {
  it('sees nothing when the flow is gone or another one has its name (volcano#3357)', async () => {
    const cluster = new ModelCluster(flow(steps));
    const other = { ...cluster.key, uid: asUid('older') };
    expect(await observe(other, cluster)).toBeUndefined();
    cluster.remove('JobFlow', 'etl');
    expect(await observe(cluster.key, cluster)).toBeUndefined();
    expect(cluster.reads).toEqual(['get JobFlow etl', 'get JobFlow etl']);
  });

  it('has no field for a status that is not there: a snapshot is what its record says', async () => {
    const seenFlow = (await seen(new ModelCluster(flow(steps)))).flow;
    expect(seenFlow).toStrictEqual(JSON.parse(JSON.stringify(seenFlow)));
    expect(Object.keys(seenFlow)).not.toContain('status');
  });

  it('knows of no Job, present or missing, of a flow that is new', async () => {
    const { jobs, confirmedMissing } = await seen(new ModelCluster(flow(steps)));
    expect({ jobs, confirmedMissing }).toEqual({ jobs: [], confirmedMissing: [] });
  });

  it('looks for the Jobs of a new flow where the views remember earlier children', async () => {
    const cluster = new ModelCluster(flow(steps));
    const remembering = Object.assign(cluster, {
      onceThere: () => ({ traces: ['etl-a', 'etl-b'], isWhole: true }),
    });
    cluster.put('Job', storedJob('etl-b'));
    const { jobs, confirmedMissing } = await seen(remembering);
    expect(jobs.map((job) => job.name)).toEqual(['etl-b']);
    expect(confirmedMissing).toEqual(['etl-a']);
  });

  it('keeps of the annotations of a flow what its decision reads', async () => {
    const plain = flow(steps);
    const own = {
      [annotations.retry]: '1',
      [annotations.submitter]: '{"username":"ann"}',
      [annotations.held]: '{"policy":"SuspendPolicy/default/nights"}',
    };
    const metadata = { ...plain.metadata, annotations: { ...own, note: 'x' } };
    const observed = await seen(new ModelCluster({ ...plain, metadata }));
    expect(observed.flow.metadata.annotations).toEqual(own);
    expect(flowAdvance.submitterOf?.(observed)).toMatchObject({ username: 'ann' });
    const unsubmitted = await seen(new ModelCluster(plain));
    expect(flowAdvance.submitterOf?.(unsubmitted)).toBeUndefined();
  });

  it('looks at an object once that a view gives again', () => {
    const stored = storedJob('etl-a');
    expect(asObservedJob(stored)).toBe(asObservedJob(stored));
  });

  it('keeps of a Job only what decisions depend on', async () => {
    const cluster = new ModelCluster(flow(steps, { status: started([record('a', 'Running')]) }));
    cluster.put('Job', storedJob('etl-a'));
    const [stored] = cluster.jobs();
    expect((await seen(cluster)).jobs).toStrictEqual([
      {
        name: 'etl-a',
        uid: 'uid-etl-a',
        resourceVersion: stored?.metadata.resourceVersion,
        creationTimestamp: at(0),
        labels: { [labels.step]: 'a' },
        annotations: { [annotations.templateHash]: 'h' },
        suspend: true,
        ttlSecondsAfterFinished: 5,
        startTime: at(1),
        completionTime: at(2),
        conditions: [
          { type: 'Complete', status: 'True', lastTransitionTime: at(2) },
          { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' },
        ],
      },
    ]);
  });

  it('never takes a Job of another owner for its own, not of another flow (volcano#4089), not of an earlier one of this name', async () => {
    const cluster = new ModelCluster(flow(steps, { status: started([record('a', 'Running')]) }));
    cluster.put('Job', storedJob('etl-a', 'flow-uid-0'));
    const { jobs, confirmedMissing } = await seen(cluster);
    expect(jobs).toEqual([]);
    expect(confirmedMissing).toEqual(['etl-a']);
  });

  it('asks for a started Job by name before it takes it for deleted', async () => {
    const status = started([record('a', 'Running'), record('b', 'Pending')]);
    const cluster = new ModelCluster(flow(steps, { status }));
    cluster.put('Job', storedJob('etl-a'));
    const nothing = async () => [];
    const get = cluster.get.bind(cluster);
    const behind: Reader = { get, list: nothing, listByOwner: nothing, listByOwners: nothing };
    const snapshot = await observe(cluster.key, behind);
    expect(snapshot?.jobs.map(({ name }) => name)).toEqual(['etl-a']);
    expect(snapshot?.confirmedMissing).toEqual(['etl-b']);
  });

  it('asks by name for a Job of this flow, which an old view of the name does not answer', async () => {
    const cluster = new ModelCluster(flow(steps, { status: started([record('a', 'Running')]) }));
    const owners: unknown[] = [];
    const get: Reader['get'] = async (resource, name, owner) => {
      if (resource.kind === 'Job') owners.push(owner);
      return cluster.get(resource, name);
    };
    const nothing = async () => [];
    await observe(cluster.key, { get, list: nothing, listByOwner: nothing, listByOwners: nothing });
    expect(owners).toEqual([cluster.key.uid]);
  });

  it('asks for Jobs of a retry by hand that are not on record, and that were seen to go', async () => {
    const list = ['a', 'b', 'c', 'd'].map((name) => step(name));
    const retried = [
      record('a', 'Waiting', { attempt: 1 }),
      record('b', 'Succeed'),
      record('c', 'Waiting'),
    ];
    const asking = (records: readonly StepRecord[]) => {
      const cluster = new ModelCluster(flow(list, { status: started(records), retry: '1' }));
      const removed = ['etl-a', 'etl-a-r1', 'etl-b', 'etl-b-r1', 'etl-c', 'etl-d-r1'];
      return Object.assign(cluster, { onceThere: () => ({ traces: removed, isWhole: true }) });
    };
    const { confirmedMissing } = await seen(asking(retried));
    expect(confirmedMissing).toEqual(['etl-a-r1', 'etl-c']);
    const ends = [record('a', 'Failed'), record('b', 'Succeed'), record('c', 'Skipped')];
    expect((await seen(asking(ends))).confirmedMissing).toEqual([]);
  });

  it('asks by name also for the Job of a suspended step', async () => {
    const status = started([record('a', 'Suspended')]);
    const { confirmedMissing } = await seen(new ModelCluster(flow(steps, { status })));
    expect(confirmedMissing).toEqual(['etl-a']);
  });

  it('looks at no name of a step that is blocked otherwise, or waits no more', async () => {
    const entries = [
      record('a', 'Blocked', { reason: 'NameConflict' }),
      record('b', 'Skipped', { reason: 'NameTerminating' }),
    ];
    const cluster = new ModelCluster(flow(steps, { status: started(entries) }));
    await seen(cluster);
    expect(cluster.reads).toEqual(['get JobFlow etl', 'list Job']);
  });

  it('looks at the name that a Blocked step waits for, and says who holds it', async () => {
    const { status } = flow(steps, {
      status: started([record('a', 'Blocked', { reason: 'NameTerminating', attempt: 1 })]),
    });
    const cluster = new ModelCluster(flow(steps, { status: status! }));
    const former = storedJob('etl-a-r1', 'flow-uid-0');
    const deletionTimestamp = at(3);
    cluster.put('Job', { ...former, metadata: { ...former.metadata, deletionTimestamp } });
    expect((await seen(cluster)).heldNames).toMatchObject([
      { name: 'etl-a-r1', code: 'NameTerminating' },
    ]);
    // A Job that stays reports itself when its name is requested, and an own Job is no obstacle.
    cluster.put('Job', former);
    expect((await seen(cluster)).heldNames).toBeUndefined();
    const own = storedJob('etl-a-r1');
    cluster.put('Job', { ...own, metadata: { ...own.metadata, deletionTimestamp } });
    expect((await seen(cluster)).heldNames).toBeUndefined();
  });

  it('asks past a view in which a Job of an earlier flow still has the name', async () => {
    const cluster = new ModelCluster(flow(steps, { status: started([record('a', 'Running')]) }));
    cluster.put('Job', storedJob('etl-a'));
    const earlier = storedJob('etl-a', 'flow-uid-0');
    const behind: Reader = {
      get: async (resource, name, controller) =>
        resource === resources.Job && controller === undefined
          ? earlier
          : cluster.get(resource, name),
      list: async () => [],
      listByOwner: async () => [],
      listByOwners: async () => [],
    };
    const snapshot = await observe(cluster.key, behind);
    expect(snapshot?.confirmedMissing).toEqual([]);
  });

  it('gives the same record whatever the order of the list', async () => {
    const cluster = new ModelCluster(flow(steps, { status: started([]) }));
    cluster.put('Job', storedJob('etl-b'));
    cluster.put('Job', storedJob('etl-a'));
    expect((await seen(cluster)).jobs.map(({ name }) => name)).toEqual(['etl-a', 'etl-b']);
  });

  it('survives a stored flow without a list of steps', async () => {
    const cluster = new ModelCluster({ ...flow([]), spec: {} as never });
    expect((await seen(cluster)).flow.spec.flows).toEqual([]);
  });
});

it('knows the version of a suspended Job, and of no other', async () => {
  const cluster = new ModelCluster(flow(steps, { status: started([]) }));
  cluster.put('Job', storedJob('etl-a'));
  cluster.put('Job', { ...storedJob('etl-b'), spec: { suspend: false } });
  const stored = cluster.jobs().find(({ metadata }) => metadata.name === 'etl-a');
  const versions = (await observe(cluster.key, cluster))?.jobs.map((job) => job.resourceVersion);
  expect(versions).toEqual([stored?.metadata.resourceVersion, undefined]);
});

describe('what the journal keeps', () => {
  it('has no value of any environment variable, wherever it stands', async () => {
    const canary = 'canary-4711';
    const env = [{ name: 'SECRET', value: canary }];
    const pod = { template: { spec: { containers: [{ name: 'main', env }] } } };
    const pinned = { name: 't', uid: 'u', generation: 1, hash: 'h', jobTemplate: pod };
    const spec = { globalParams: { env } };
    const cluster = new ModelCluster(
      flow([step('a', { jobTemplate: pod }), step('b', { jobTemplateRef: 'other' })], {
        spec,
        status: started([], { pinnedTemplates: [pinned] }),
      }),
    );
    cluster.put('JobTemplate', { ...storedTemplate('other'), spec: { jobTemplate: pod } });
    const snapshot = await seen(cluster);
    expect(JSON.stringify(snapshot)).toContain(canary);
    expect(JSON.stringify(redactEnv(snapshot))).not.toContain(canary);
    expect(redactEnv(snapshot).flowsHash).toBe(snapshot.flowsHash);
  });
});
