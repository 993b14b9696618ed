import { describe, expect, it } from 'vitest';
import { frozenHash } from '#shared/api/frozen-spec.ts';
import { MillraceError } from '#shared/domain/errors.ts';
import { contentHash } from '#shared/domain/hash.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import {
  asResourceVersion,
  asUid,
  type JsonObject,
  type KubeObject,
} from '#shared/domain/objects.ts';
import { redactEnv } from '#shared/domain/redact.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { flowAdvance } from './function.ts';
import { observe } from './observe.ts';
import { asObservedJob } from '#shared/domain/observed-job.ts';
import {
  at,
  busybox,
  flow,
  flowUid,
  record,
  started,
  step,
  type FlowFields,
} from './testing/builders.ts';
import { ModelCluster } from './testing/model-cluster.ts';
import { resources } from '#shared/domain/resources.ts';

const steps = [step('a'), step('b', { after: ['a'] })];

async function seen(cluster: ModelCluster) {
  const snapshot = await observe(cluster.key, cluster);
  if (snapshot === undefined) throw new Error('the flow is not seen');
  return snapshot;
}

function storedJob(name: string, owner: string = flowUid): KubeObject {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      namespace: 'default',
      uid: asUid(`uid-${name}`),
      resourceVersion: asResourceVersion('1'),
      creationTimestamp: at(0),
      labels: { [labels.step]: 'a', app: 'x' },
      annotations: { [annotations.templateHash]: 'h', note: 'x' },
      ownerReferences: [
        { apiVersion: 'x', kind: 'JobFlow', name: 'etl', uid: asUid(owner), controller: true },
      ],
    },
    spec: { suspend: true, ttlSecondsAfterFinished: 5, template: {} },
    status: {
      startTime: at(1),
      completionTime: at(2),
      conditions: [
        { type: 'Complete', status: 'True', lastTransitionTime: at(2) },
        'nonsense',
        { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' },
      ],
    },
  };
}

function storedTemplate(name: string): KubeObject {
  return {
    apiVersion: 'api.practice.com/v1alpha1',
    kind: 'JobTemplate',
    metadata: {
      name,
      uid: asUid(`uid-${name}`),
      resourceVersion: asResourceVersion('1'),
      generation: 3,
    },
    spec: { jobTemplate: busybox },
  };
}

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

  it('looks for the Jobs of a flow that is new where somebody remembers what was there', async () => {
    const cluster = new ModelCluster(flow(steps));
    const remembering = Object.assign(cluster, {
      onceThere: () => ({ traces: ['etl-a', 'etl-b'], isWhole: true }),
    });
    cluster.put('Job', storedJob('etl-b'));
    const { jobs, confirmedMissing } = await seen(remembering);
    expect(jobs.map((job) => job.name)).toEqual(['etl-b']);
    expect(confirmedMissing).toEqual(['etl-a']);
  });

  it('keeps of the annotations of a flow what users and admission say to Millrace', async () => {
    const plain = flow(steps);
    const own = { [annotations.retry]: '1', [annotations.submitter]: '{"username":"ann"}' };
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
    const ends = [record('a', 'Failed'), record('b', 'Succeed'), record('c', 'Skipped')];
    const retried = (notes: Readonly<Record<string, string>>) => {
      const plain = flow(list, { status: started(ends, { state: 'Failed' }) });
      const metadata = { ...plain.metadata, annotations: notes };
      const cluster = new ModelCluster({ ...plain, metadata });
      const removed = ['etl-a', 'etl-a-r1', 'etl-b', 'etl-b-r1', 'etl-c', 'etl-d-r1'];
      return Object.assign(cluster, { onceThere: () => ({ traces: removed, isWhole: true }) });
    };
    const { confirmedMissing } = await seen(retried({ [annotations.retry]: '1' }));
    expect(confirmedMissing).toEqual(['etl-a-r1', 'etl-c']);
    expect((await seen(retried({}))).confirmedMissing).toEqual([]);
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
    // One that stays tells of itself when its name is asked for, and ours is no obstacle.
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

it('looks for the template of a step that one proves to be startable whose dependency is gone', async () => {
  const list = [
    step('a'),
    step('b', { after: ['a'] }),
    step('c', { jobTemplateRef: 't1', after: ['a'] }),
  ];
  const spec = { templatePolicy: 'ResolveAtStep' } as const;
  const cluster = new ModelCluster(flow(list, { spec, status: started([record('a', 'Running')]) }));
  cluster.put('Job', {
    ...storedJob('etl-b'),
    metadata: { ...storedJob('etl-b').metadata, labels: { [labels.step]: 'b' } },
  });
  cluster.put('JobTemplate', storedTemplate('t1'));
  const seen = await observe(cluster.key, cluster);
  expect(seen?.confirmedMissing).toEqual(['etl-a']);
  expect(Object.keys(seen?.templates ?? {})).toEqual(['t1']);
});

it('looks for the template of a step that the record alone proves to be startable', async () => {
  const list = [
    step('a'),
    step('b', { after: ['a'] }),
    step('c', { jobTemplateRef: 't1', after: ['a'] }),
  ];
  const status = started([record('a', 'Running'), record('b', 'Pending')]);
  const cluster = new ModelCluster(
    flow(list, { spec: { templatePolicy: 'ResolveAtStep' }, status }),
  );
  cluster.put('JobTemplate', storedTemplate('t1'));
  const seen = await observe(cluster.key, cluster);
  expect(seen?.confirmedMissing).toEqual(['etl-a', 'etl-b']);
  expect(Object.keys(seen?.templates ?? {})).toEqual(['t1']);
});

it('knows the version of a suspended Job, and of no other', async () => {
  const cluster = new ModelCluster(flow(steps, { status: started([]) }));
  cluster.put('Job', storedJob('etl-a'));
  cluster.put('Job', { ...storedJob('etl-b'), spec: { suspend: false } });
  const stored = cluster.jobs().find(({ metadata }) => metadata.name === 'etl-a');
  const versions = (await observe(cluster.key, cluster))?.jobs.map((job) => job.resourceVersion);
  expect(versions).toEqual([stored?.metadata.resourceVersion, undefined]);
});

describe('reads no more than the decision needs (I10)', () => {
  const own = { jobTemplate: { ...busybox, ttlSecondsAfterFinished: 5 } };
  const over = started([record('a', 'Succeed')], { state: 'Succeed' });
  const ref = [
    step('a', { jobTemplateRef: 't1' }),
    step('b', { jobTemplateRef: 't2', after: ['a'] }),
  ];
  const pin = { name: 't1', uid: 'u', generation: 1, hash: 'h', jobTemplate: busybox };

  it.each<readonly [string, Parameters<typeof flow>[0], FlowFields, readonly string[]]>([
    ['a new flow: nothing', steps, {}, []],
    ['a new flow that is suspended: its Jobs', steps, { spec: { suspend: true } }, ['list Job']],
    [
      'a new flow that may be late: its Jobs',
      steps,
      { spec: { startDeadlineSeconds: 1 } },
      ['list Job'],
    ],
    ['a running flow: its Jobs', steps, { status: started([]) }, ['list Job']],
    ['a flow that is over: nothing', [step('a')], { status: over }, []],
    [
      'a flow that has failed: nothing',
      [step('a')],
      { status: started([record('a', 'Failed')], { state: 'Failed' }) },
      [],
    ],
    [
      'a flow that was refused: its templates, since it may be judged anew',
      ref,
      { status: { state: 'Failed', observedGeneration: 1 } },
      ['list Job', 'get JobTemplate t1', 'get JobTemplate t2'],
    ],
    [
      'a flow that is over, with a child TTL: its Jobs',
      [step('a', own), step('b')],
      { status: over },
      ['list Job'],
    ],
    [
      'a flow that is over, whose template is in no pin and may have a TTL: its Jobs',
      [step('a', { jobTemplateRef: 't1' })],
      { spec: { templatePolicy: 'ResolveAtStep' }, status: over },
      ['list Job'],
    ],
    [
      'a flow that is over, with ResolveAtStep and a step that never started: no template',
      [step('a', own), step('b', { jobTemplateRef: 't1' })],
      {
        spec: { templatePolicy: 'ResolveAtStep' },
        status: started([record('a', 'Failed'), record('b', 'Skipped')], { state: 'Failed' }),
      },
      ['list Job'],
    ],
    [
      'a flow that is over and retried, with ResolveAtStep: the templates of what starts',
      [step('a', own), step('b', { jobTemplateRef: 't1' })],
      {
        spec: { templatePolicy: 'ResolveAtStep' },
        status: started([record('a', 'Failed'), record('b', 'Skipped')], { state: 'Failed' }),
        retry: 'x',
      },
      ['list Job', 'get JobTemplate t1'],
    ],
    [
      'a flow that is over and retried: its Jobs',
      [step('a')],
      { status: over, retry: 'x' },
      ['list Job'],
    ],
    [
      'a flow that is being deleted: nothing',
      ref,
      {
        status: started([record('a', 'Blocked', { reason: 'NameTerminating' })]),
        deletionTimestamp: at(1),
      },
      [],
    ],
    ['templates before the start: all', ref, {}, ['get JobTemplate t1', 'get JobTemplate t2']],
    [
      'templates that are pinned: none of them again',
      ref,
      { status: started([], { pinnedTemplates: [pin] }) },
      ['list Job', 'get JobTemplate t2'],
    ],
    [
      'templates with ResolveAtStep before the start: those of the first steps',
      ref,
      { spec: { templatePolicy: 'ResolveAtStep' } },
      ['get JobTemplate t1'],
    ],
    [
      'templates with ResolveAtStep: those of steps that may start now',
      ref,
      { spec: { templatePolicy: 'ResolveAtStep' }, status: started([record('a', 'Succeed')]) },
      ['list Job', 'get JobTemplate t2'],
    ],
  ])('%s', async (_, flows, fields, reads) => {
    const cluster = new ModelCluster(flow(flows, fields));
    await seen(cluster);
    expect(cluster.reads).toEqual(['get JobFlow etl', ...reads]);
  });
});

describe('a JobTemplate is read as the API server has it now, for somebody may have changed it a moment before', () => {
  const byStep = { templatePolicy: 'ResolveAtStep' } as const;
  const failed = started([record('a', 'Failed')], { state: 'Failed' });
  it.each<[string, Parameters<typeof flow>[1], ('now' | undefined)[]]>([
    ['a flow was submitted', {}, ['now']],
    ['it waits to start', { status: { state: 'Pending' } }, ['now']],
    [
      'a suspended one was resumed',
      { spec: byStep, status: started([], { state: 'Suspended' }) },
      ['now'],
    ],
    ['its retry was asked for', { spec: byStep, status: failed, retry: 'x' }, ['now']],
    ['not while it is suspended', { spec: { suspend: true } }, [undefined]],
    ['not when a later step starts of itself', { spec: byStep, status: started([]) }, [undefined]],
  ])('%s', async (_, fields, expected) => {
    const cluster = new ModelCluster(flow([step('a', { jobTemplateRef: 't' })], fields));
    cluster.put('JobTemplate', storedTemplate('t'));
    const asked: (string | undefined)[] = [];
    const noting: Reader = {
      list: cluster.list.bind(cluster),
      listByOwners: () => Promise.resolve([]),
      get: (...[kind, name, , asOf]: Parameters<Reader['get']>) => {
        if (kind.kind === 'JobTemplate') asked.push(asOf);
        return cluster.get(kind, name);
      },
      listByOwner: () => Promise.resolve([]),
    };
    await observe(cluster.key, noting);
    expect(asked).toEqual(expected);
  });
});

it('seeks the template of a step whose dependency has just succeeded at a later attempt, known by its name', async () => {
  const flows = [
    step('a', { retryPolicy: { limit: 1 } }),
    step('b', { after: ['a'], jobTemplateRef: 't' }),
  ];
  const status = started([record('a', 'Running', { attempt: 1 }), record('b', 'Waiting')]);
  const spec = { templatePolicy: 'ResolveAtStep' } as const;
  const cluster = new ModelCluster(flow(flows, { spec, status }));
  cluster.put('JobTemplate', storedTemplate('t'));
  const job = storedJob('etl-a-r1');
  cluster.put('Job', { ...job, metadata: { ...job.metadata, labels: {} } });
  expect(Object.keys((await seen(cluster)).templates)).toEqual(['t']);
});

it('seeks the template of a step whose dependency has succeeded at an attempt that is not on record', async () => {
  const flows = [
    step('a', { retryPolicy: { limit: 1 } }),
    step('b', { after: ['a'], jobTemplateRef: 't' }),
  ];
  const status = started([record('a', 'Running'), record('b', 'Waiting')]);
  const spec = { templatePolicy: 'ResolveAtStep' } as const;
  const cluster = new ModelCluster(flow(flows, { spec, status }));
  cluster.put('JobTemplate', storedTemplate('t'));
  const failed = { conditions: [{ type: 'Failed', status: 'True' }] };
  cluster.put('Job', { ...storedJob('etl-a'), status: failed });
  cluster.put('Job', storedJob('etl-a-r1'));
  expect(Object.keys((await seen(cluster)).templates)).toEqual(['t']);
});

describe('the template of a step with ResolveAtStep that waits for two others, of which one succeeded', () => {
  const flows = [step('a'), step('b'), step('c', { after: ['a', 'b'], jobTemplateRef: 't' })];
  const entries = [record('a', 'Succeed'), record('b', 'Running'), record('c', 'Waiting')];
  const spec = { templatePolicy: 'ResolveAtStep' } as const;
  const met = { type: 'SuccessCriteriaMet', status: 'True' };
  const other = [
    { type: 'Suspended', status: 'True' },
    { type: 'Complete', status: 'False' },
  ];

  it.each([
    ['is not sought while the other one runs', other, []],
    ['is sought when the other one is about to succeed', [met], ['t']],
  ])('%s', async (_, conditions, sought) => {
    const cluster = new ModelCluster(flow(flows, { spec, status: started(entries) }));
    cluster.put('JobTemplate', storedTemplate('t'));
    const stored = storedJob('etl-b');
    const own = { ...stored.metadata, labels: { [labels.step]: 'b' } };
    cluster.put('Job', { ...stored, metadata: own, status: { conditions } });
    expect(Object.keys((await seen(cluster)).templates)).toEqual(sought);
  });
});

describe('the template of a step with ResolveAtStep whose attempt is on record as running', () => {
  const flows = [step('a', { retryPolicy: { limit: 1 }, jobTemplateRef: 't' })];
  const status = started([record('a', 'Running')]);
  const spec = { templatePolicy: 'ResolveAtStep' } as const;
  const failed = { conditions: [{ type: 'Failed', status: 'True' }] };

  it.each<readonly [string, KubeObject | undefined, readonly string[]]>([
    ['is sought when the Job failed: the next one may start', failedAs(failed), ['t']],
    ['is sought when the Job is gone', undefined, ['t']],
    ['is not sought while the Job runs', failedAs({ active: 1 }), []],
  ])('%s', async (_, stored, sought) => {
    const cluster = new ModelCluster(flow(flows, { spec, status }));
    cluster.put('JobTemplate', storedTemplate('t'));
    cluster.put('Job', { ...storedJob('etl-0'), status: {} });
    if (stored !== undefined) cluster.put('Job', stored);
    expect(Object.keys((await seen(cluster)).templates)).toEqual(sought);
  });

  function failedAs(jobStatus: JsonObject): KubeObject {
    return { ...storedJob('etl-a'), status: jobStatus };
  }
});

describe('templates and hashes', () => {
  it('reads uid, generation and hash of a template; null for a missing one', async () => {
    const cluster = new ModelCluster(
      flow([step('a', { jobTemplateRef: 'there' }), step('b', { jobTemplateRef: 'gone' })]),
    );
    cluster.put('JobTemplate', storedTemplate('there'));
    expect((await seen(cluster)).templates).toEqual({
      there: {
        name: 'there',
        uid: 'uid-there',
        generation: 3,
        hash: contentHash(busybox),
        jobTemplate: busybox,
        bytes: JSON.stringify(busybox).length,
      },
      gone: null,
    });
  });

  it('measures spec and templates before the start only, when the flow can still be refused', async () => {
    const referring = [step('a'), step('b', { after: ['a'], jobTemplateRef: 'there' })];
    const sizesOf = async (fields: FlowFields) => {
      const cluster = new ModelCluster(flow(referring, fields));
      cluster.put('JobTemplate', storedTemplate('there'));
      const { specBytes, templates } = await seen(cluster);
      return [specBytes, templates['there']?.bytes];
    };
    const spec = JSON.stringify({ flows: referring }).length;
    expect(await sizesOf({})).toEqual([spec, JSON.stringify(busybox).length]);
    const later = { status: started([record('a', 'Running')]) };
    for (const fields of [later, { deletionTimestamp: at(1) }]) {
      expect(await sizesOf(fields)).toEqual([undefined, undefined]);
    }
  });

  it('hashes the frozen part of the spec before the start and after a change, not otherwise', async () => {
    const hashOf = async (fields: FlowFields) =>
      (await seen(new ModelCluster(flow(steps, fields)))).flowsHash;
    const hash = frozenHash(flow(steps).spec);
    expect(await hashOf({})).toBe(hash);
    expect(await hashOf({ status: started([]) })).toBeUndefined();
    expect(await hashOf({ status: started([]), generation: 2 })).toBe(hash);
    const since = { reason: 'x', message: '', lastTransitionTime: at(0) };
    const refused = { type: 'Accepted', status: 'False', ...since } as const;
    const others = ['Progressing', 'Failed'].map((type, index) => {
      return { type, status: index === 0 ? 'True' : 'False', ...since } as const;
    });
    for (const conditions of [[refused], [...others, refused], [refused, ...others]]) {
      expect(await hashOf({ status: started([], { conditions }) })).toBe(hash);
    }
    const accepted = { ...refused, status: 'True' } as const;
    for (const conditions of [others, [...others, accepted], [...others].reverse()]) {
      expect(await hashOf({ status: started([], { conditions }) })).toBeUndefined();
    }
  });

  it('hashes it for a retry: a change after the end was noted without a look', async () => {
    const status = started([record('a', 'Failed')], { state: 'Failed' });
    const { flowsHash } = await seen(new ModelCluster(flow(steps, { status, retry: 'again' })));
    expect(flowsHash).toBe(frozenHash(flow(steps).spec));
  });
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

describe('the Pods of a Job', () => {
  const child = (status: object, fields: object = {}): KubeObject => {
    const job = storedJob('etl-a');
    return { ...job, spec: {}, status: { startTime: at(1), ...status }, ...fields };
  };
  const podOf = (name: string, status: object, job = 'uid-etl-a'): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      uid: asUid(`uid-${name}`),
      resourceVersion: asResourceVersion('1'),
      ownerReferences: [
        { apiVersion: 'batch/v1', kind: 'Job', name: 'etl-a', uid: asUid(job), controller: true },
      ],
    },
    status,
  });
  const failedJob = { failed: 1, conditions: [{ type: 'Failed', status: 'True' }] };
  const over = (recorded: 'Pending' | 'Running' | 'Failed', job: KubeObject) => {
    const status = started([record('a', recorded)]);
    const cluster = new ModelCluster(flow(steps, { status }));
    cluster.put('Job', job);
    return cluster;
  };
  const podReads = ({ reads }: ModelCluster) => reads.filter((read) => read === 'list Pod').length;

  it.each([
    ['is not on record as running yet', over('Pending', child({ active: 1 }))],
    ['is ready', over('Running', child({ active: 1, ready: 1 }))],
    ['is suspended', over('Running', child({}, { spec: { suspend: true } }))],
    [
      'has succeeded',
      over('Running', child({ conditions: [{ type: 'Complete', status: 'True' }] })),
    ],
    ['has failed, and that is on record', over('Failed', child(failedJob))],
    [
      'says that it has not failed',
      over('Pending', child({ conditions: [{ type: 'Failed', status: 'False' }] })),
    ],
    [
      'is being deleted',
      over(
        'Running',
        child(
          { active: 1 },
          { metadata: { ...storedJob('etl-a').metadata, deletionTimestamp: at(4) } },
        ),
      ),
    ],
  ])('are not read when the Job %s', async (_, cluster) => {
    const { jobs } = await seen(cluster);
    expect(jobs[0]).not.toHaveProperty('pods');
    expect(podReads(cluster)).toBe(0);
  });

  it('are read once when Jobs on record as running are not ready: the problem that lasts longest counts', async () => {
    const cluster = over('Running', child({ active: 2, ready: 1 }));
    const unschedulable = (seconds: number) => ({
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          message: 'no node',
          lastTransitionTime: at(seconds),
        },
      ],
    });
    cluster.put('Pod', podOf('late', unschedulable(9)));
    cluster.put('Pod', podOf('early', unschedulable(3)));
    cluster.put('Pod', podOf('foreign', unschedulable(1), 'uid-of-another-job'));
    const { jobs } = await seen(cluster);
    expect(jobs[0]?.pods).toEqual({
      active: 2,
      failed: 0,
      trouble: { pod: 'early', reason: 'Unschedulable', message: 'no node', since: at(3) },
    });
    expect(podReads(cluster)).toBe(1);
  });

  it('have the problem of the same one of them each time, when several began at once', async () => {
    const cluster = over('Running', child({ active: 3 }));
    const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' };
    for (const name of ['b', 'a', 'c']) {
      cluster.put('Pod', podOf(name, { conditions: [{ ...condition, message: 'no node' }] }));
    }
    const { jobs } = await seen(cluster);
    expect(jobs[0]?.pods?.trouble?.pod).toBe('a');
  });

  it('are read when the Job has none, so that somebody can say so', async () => {
    const { jobs } = await seen(over('Running', child({})));
    expect(jobs[0]?.pods).toEqual({ active: 0, failed: 0 });
  });

  it.each(['Pending', 'Running'] as const)(
    'are read before a failure is recorded, when %s was: the last failure counts',
    async (recorded) => {
      const cluster = over(recorded, child(failedJob));
      const exited = (exitCode: number, seconds: number) => ({
        phase: 'Failed',
        containerStatuses: [
          { name: 'main', state: { terminated: { exitCode, finishedAt: at(seconds) } } },
        ],
      });
      cluster.put('Pod', podOf('z-first', exited(1, 2)));
      cluster.put('Pod', podOf('m-second', exited(2, 3)));
      cluster.put('Pod', podOf('a-last', exited(3, 5)));
      const { jobs } = await seen(cluster);
      expect(jobs[0]?.pods).toMatchObject({
        failed: 1,
        failure: { pod: 'a-last', message: 'container main exited 3' },
      });
    },
  );

  it('are not needed: a Role without them costs the explanation, not the flow', async () => {
    const cluster = over('Running', child({ active: 1 }));
    const fields = { verb: 'list', path: '/pods', status: 403, reason: 'Forbidden', detail: 'no' };
    cluster.listByOwners = () => Promise.reject(new MillraceError('MR_API_FORBIDDEN', fields));
    const { jobs } = await seen(cluster);
    expect(jobs[0]).toMatchObject({ name: 'etl-a' });
    expect(jobs[0]).not.toHaveProperty('pods');
  });

  it('are waited for while the server does not answer', async () => {
    const cluster = over('Running', child({ active: 1 }));
    const fields = { verb: 'list', path: '/pods', detail: 'cut off' };
    cluster.listByOwners = () => Promise.reject(new MillraceError('MR_API_UNREACHABLE', fields));
    await expect(seen(cluster)).rejects.toMatchObject({ code: 'MR_API_UNREACHABLE' });
  });
});
