import { describe, expect, it } from 'vitest';
import { MillraceError, type ErrorCode } from '#shared/domain/errors.ts';
import { asResourceVersion, type KubeObject } from '#shared/domain/objects.ts';
import type { Operation, Plan } from '#shared/domain/plan.ts';
import { applyPlan } from './apply-plan.ts';
import type { KubeClient } from './client.ts';
import { create, formerUid, ours, ownedJob, target, world } from './testing/applied-plans.ts';
import { resources } from '#shared/domain/resources.ts';

describe('a write on an object that another one has replaced', () => {
  const remove: Operation = {
    kind: 'delete',
    resource: resources.Job,
    target,
    uid: formerUid,
    propagation: 'Foreground',
  };
  const patch: Operation = {
    kind: 'patch',
    resource: resources.Job,
    target,
    uid: formerUid,
    patch: { spec: { suspend: true } },
  };

  it.each([remove, patch])('leaves the other one alone: $kind', async (operation) => {
    const { cluster, apply, job } = world();
    const present = cluster.put(ownedJob(ours));
    expect(await apply([[operation]])).toMatchObject({
      kind: 'applied',
      writes: [{ done: 'gone', uid: formerUid }],
    });
    expect(job()).toEqual(present);
  });
});

it.each<Operation>([
  { kind: 'delete', resource: resources.Job, target, uid: formerUid, propagation: 'Foreground' },
  { kind: 'patch', resource: resources.Job, target, uid: formerUid, patch: {} },
  {
    kind: 'patchStatus',
    resource: resources.Job,
    target,
    uid: formerUid,
    resourceVersion: asResourceVersion('1'),
    status: {},
  },
])('a $kind of an object that is gone has nothing left to do', async (operation) => {
  const { apply } = world();
  expect(await apply([[operation]])).toEqual({
    kind: 'applied',
    writes: [{ resource: resources.Job, done: 'gone', ...target, uid: formerUid }],
    notes: [],
    warnings: [],
  });
});

it('takes no conflict of a create for a name that is taken but the one that says so', async () => {
  const { cluster, apply } = world();
  cluster.put(ownedJob(ours));
  const fields = { verb: 'create', path: 'jobs', reason: 'Conflict', detail: 'in between' };
  const client = {
    ...cluster.client,
    create: () => Promise.reject(new MillraceError('MR_API_CONFLICT', fields)),
  };
  expect(await apply([[create]], client)).toMatchObject({ kind: 'conflict', writes: [] });
});

it('is in conflict when the status was decided on an older version', async () => {
  const { cluster, apply, job } = world();
  const { uid, resourceVersion } = cluster.put(ownedJob(ours)).metadata;
  cluster.touch('Job', 'etl-a');
  const status = {
    kind: 'patchStatus',
    resource: resources.Job,
    target,
    uid,
    resourceVersion,
  } as const;
  expect(await apply([[{ ...status, status: { active: 1 } }]])).toMatchObject({
    kind: 'conflict',
    writes: [],
  });
  expect(job()?.status).toBeUndefined();
});

describe('an Event', () => {
  const emit: Operation = {
    kind: 'emitEvent',
    regarding: { ...target, apiVersion: 'batch/v1', kind: 'Job', uid: ours },
    type: 'Normal',
    reason: 'Started',
    action: 'Start',
    note: 'started',
    occurrence: 'start',
  };

  it('that was written before is in effect, and no Event reports it (apply-1)', async () => {
    const { cluster, apply } = world();
    const first = await apply([[emit]]);
    const [event] = cluster.objects('Event');
    const { name, namespace } = event!.metadata;
    expect(first).toMatchObject({ notes: [], writes: [{ done: 'emitEvent', namespace, name }] });
    const second = await apply([[emit]]);
    expect(second).toMatchObject({ kind: 'applied', notes: [] });
    expect(second.kind === 'applied' && second.writes).toEqual([
      { resource: resources.Event, done: 'adopt', namespace, name },
    ]);
    expect(cluster.objects('Event')).toHaveLength(1);
  });

  it('is written in the name of the function, whose field it is', async () => {
    const { cluster, apply } = world();
    const managers: unknown[] = [];
    const client: KubeClient = {
      ...cluster.client,
      create: (resource, object, options) => {
        managers.push(options?.fieldManager);
        return cluster.client.create(resource, object, options);
      },
    };
    await apply([[emit], [create]], client);
    expect(managers).toEqual(['millrace.dev/test', 'millrace.dev/test']);
  });

  it('that is refused costs a note and nothing else', async () => {
    const { cluster, apply, job } = world();
    const client: KubeClient = {
      ...cluster.client,
      create: (resource, ...rest) =>
        resource.kind === 'Event'
          ? Promise.reject(
              new MillraceError('MR_API_FORBIDDEN', { verb: 'create', path: 'e', detail: 'no' }),
            )
          : cluster.client.create(resource, ...rest),
    };
    const outcome = await apply([[emit], [create]], client);
    expect(outcome).toMatchObject({
      kind: 'applied',
      notes: ['Event Started: create e: forbidden: no'],
    });
    expect(job()).toBeDefined();
  });
});

it.each(['MR_API_TOO_LARGE', 'MR_API_RETRYABLE'] as const)(
  'a refused status makes the plan fail, without an Event of its own: %s',
  async (code) => {
    const { cluster, apply } = world();
    const { uid, resourceVersion } = cluster.put(ownedJob(ours)).metadata;
    const client: KubeClient = {
      ...cluster.client,
      patch: () =>
        Promise.reject(new MillraceError(code, { verb: 'patch', path: 'jobs', detail: 'why' })),
    };
    const at = { resource: resources.Job, target, uid, resourceVersion };
    const plan: Plan = [[{ kind: 'patchStatus', ...at, status: { active: 1 } }]];
    expect(await apply(plan, client)).toMatchObject({ kind: 'failed', error: { code } });
    expect(cluster.objects('Event')).toEqual([]);
  },
);

function createOf(index: number): Operation {
  const object = ownedJob(ours);
  return { ...create, object: { ...object, metadata: { ...object.metadata, name: `j${index}` } } };
}

it.each([
  ['16 of a stage of 64', 64, 16],
  ['4 of a longer one', 65, 4],
])('has %s under way at once', async (_, length, expected) => {
  const { cluster, apply } = world();
  let underWay = 0;
  let most = 0;
  const client: KubeClient = {
    ...cluster.client,
    create: async (...args) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await Promise.resolve();
      underWay -= 1;
      return cluster.client.create(...args);
    },
  };
  await apply([Array.from({ length }, (__, index) => createOf(index))], client);
  expect(cluster.objects('Job')).toHaveLength(length);
  expect(most).toBe(expected);
});

it('sends nothing more once it is aborted (apply-6)', async () => {
  const { cluster } = world();
  const stop = new AbortController();
  const client: KubeClient = {
    ...cluster.client,
    create: async (...args) => {
      stop.abort();
      return cluster.client.create(...args);
    },
  };
  const outcome = await applyPlan(
    [[createOf(0)], Array.from({ length: 200 }, (_, i) => createOf(i + 1))],
    {
      client,
      fieldManager: 'millrace.dev/test',
      instance: 'test',
      clock: { now: () => 0 },
      signal: stop.signal,
    },
  );
  expect(outcome).toMatchObject({ kind: 'aborted', writes: [{ done: 'create', name: 'j0' }] });
  expect(cluster.objects('Job')).toHaveLength(1);
});

describe('a refused change of an existing object', () => {
  const patchOf = ({ metadata }: KubeObject): Operation => ({
    ...{ kind: 'patch', resource: resources.Job, patch: { spec: { suspend: true } } },
    target: { namespace: 'default', name: metadata.name },
    uid: metadata.uid,
  });
  const removalOf = ({ metadata }: KubeObject): Operation => ({
    ...{ kind: 'delete', resource: resources.Job, propagation: 'Background' },
    target: { namespace: 'default', name: metadata.name },
    uid: metadata.uid,
  });
  const refusing = (client: KubeClient, code: ErrorCode): KubeClient => ({
    ...client,
    patch: (resource, name, ...rest) =>
      name.name === 'bad'
        ? Promise.reject(new MillraceError(code, { verb: 'patch', path: 'bad', detail: 'no' }))
        : client.patch(resource, name, ...rest),
    delete: (_, { name }) =>
      Promise.reject(new MillraceError(code, { verb: 'delete', path: name, detail: 'no' })),
  });
  const jobCalled = (name: string) => {
    const object = ownedJob(ours);
    return { ...object, metadata: { ...object.metadata, name } };
  };

  it('is reported with its uid, and the others of its stage are carried out', async () => {
    const { cluster, apply } = world();
    const bad = cluster.put(jobCalled('bad'));
    const good = cluster.put(jobCalled('good'));
    const client = refusing(cluster.client, 'MR_API_FORBIDDEN');
    const outcome = await apply([[patchOf(bad), patchOf(good)], [patchOf(good)]], client);
    expect(outcome).toMatchObject({
      kind: 'rejected',
      rejections: [{ name: 'bad', uid: bad.metadata.uid, code: 'Forbidden', message: 'no' }],
    });
    expect(outcome.writes).toMatchObject([{ done: 'patch', name: 'good' }]);
  });

  it('is reported in the same way when it is a deletion', async () => {
    const { cluster, apply } = world();
    const bad = cluster.put(jobCalled('bad'));
    const client = refusing(cluster.client, 'MR_API_DENIED');
    expect(await apply([[removalOf(bad)]], client)).toMatchObject({
      kind: 'rejected',
      rejections: [{ name: 'bad', uid: bad.metadata.uid, code: 'Refused', message: 'no' }],
    });
  });

  it('that meets a conflict or an outage is no refusal', async () => {
    const { cluster, apply } = world();
    const bad = cluster.put(jobCalled('bad'));
    const outcomeOf = async (code: ErrorCode) =>
      (await apply([[patchOf(bad)]], refusing(cluster.client, code))).kind;
    expect(await outcomeOf('MR_API_CONFLICT')).toBe('conflict');
    expect(await outcomeOf('MR_API_UNREACHABLE')).toBe('failed');
  });
});

describe('of several faults in one stage', () => {
  const faulty = (faults: Readonly<Record<string, ErrorCode>>, client: KubeClient): KubeClient => ({
    ...client,
    patch: (_resource, { name }) =>
      Promise.reject(
        new MillraceError(faults[name]!, {
          verb: 'patch',
          path: name,
          // Refused credentials are no refusal of the write.
          ...{ status: 401, reason: 'Conflict' },
          detail: '',
        }),
      ),
  });
  const patchOf = (name: string): Operation => ({
    kind: 'patch',
    resource: resources.Job,
    target: { namespace: 'default', name },
    uid: formerUid,
    patch: {},
  });
  const plan: Plan = [[patchOf('first'), patchOf('second')]];

  it.each([
    ['first', { first: 'MR_API_CONFLICT', second: 'MR_API_REFUSED' }],
    ['second', { first: 'MR_API_REFUSED', second: 'MR_API_CONFLICT' }],
  ] as const)(
    'a conflict counts more than a terminal one: what is read anew may not meet that again (%s)',
    async (_, faults) => {
      const { cluster, apply } = world();
      const present = cluster.put(ownedJob(ours));
      const existing = { ...present, metadata: { ...present.metadata, uid: formerUid } };
      const client = faulty(faults, { ...cluster.client, get: async () => existing });
      expect(await apply(plan, client)).toMatchObject({ kind: 'conflict', writes: [] });
    },
  );

  it('one that may pass counts more than both', async () => {
    const { apply, cluster } = world();
    const faults = { first: 'MR_API_REFUSED', second: 'MR_API_RETRYABLE' } as const;
    const outcome = await apply(plan, faulty(faults, cluster.client));
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'MR_API_RETRYABLE' } });
  });

  it('a terminal one alone is the fault of the plan', async () => {
    const { apply, cluster } = world();
    const faults = { first: 'MR_API_REFUSED', second: 'MR_API_REFUSED' } as const;
    const outcome = await apply(plan, faulty(faults, cluster.client));
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'MR_API_REFUSED' } });
  });
});

it('begins no stage before the one before it has succeeded (apply-2)', async () => {
  const { cluster, apply, job } = world();
  const foreign = cluster.put(ownedJob(formerUid));
  const { uid } = foreign.metadata;
  const remove: Operation = {
    kind: 'delete',
    resource: resources.Job,
    target,
    uid,
    propagation: 'Background',
  };
  expect(await apply([[create], [remove]])).toMatchObject({ kind: 'rejected' });
  expect(job()).toEqual(foreign);
});

it.each([[undefined], [0], [30]])(
  'deletes with the grace of the plan, and else with that of the object: %s s',
  async (gracePeriodSeconds) => {
    const { cluster, apply } = world();
    const { uid } = cluster.put(ownedJob(ours)).metadata;
    const asked: unknown[] = [];
    const client: typeof cluster.client = {
      ...cluster.client,
      delete: async (resource, name, options) => {
        asked.push(options);
        await cluster.client.delete(resource, name, options);
      },
    };
    const grace = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
    const on = { resource: resources.Job, target, uid, propagation: 'Background' } as const;
    await apply([[{ kind: 'delete', ...on, ...grace }]], client);
    expect(asked).toEqual([{ uid, propagation: 'Background', ...grace }]);
  },
);

it.each(['delete', 'patch'] as const)(
  'does not %s an object that has changed since it was decided on, when the plan says so',
  async (kind) => {
    const { cluster, apply, job } = world();
    cluster.put(ownedJob(ours));
    const { uid, resourceVersion } = job()!.metadata;
    cluster.touch('Job', 'etl-a');
    const touched = job();
    const on = { resource: resources.Job, target, uid, resourceVersion };
    const operation: Operation =
      kind === 'delete'
        ? { kind, ...on, propagation: 'Background' }
        : { kind, ...on, patch: { spec: { suspend: false } } };
    expect(await apply([[operation]])).toMatchObject({ kind: 'conflict' });
    expect(job()).toEqual(touched);
  },
);
