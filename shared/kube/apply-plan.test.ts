import { describe, expect, it } from 'vitest';
import { MillraceError, type ErrorCode } from '#shared/domain/errors.ts';
import {
  asResourceVersion,
  asUid,
  type KubeObject,
  type NewObject,
  type Uid,
} from '#shared/domain/objects.ts';
import type { CreateOperation, Operation, Plan } from '#shared/domain/plan.ts';
import { createStoredCluster } from '#shared/runtime/testing/stored-cluster.ts';
import { applyPlan, type ApplyOutcome } from './apply-plan.ts';
import type { KubeClient } from './client.ts';
import { resources } from '#shared/domain/resources.ts';

const target = { namespace: 'default', name: 'etl-a' };
const ours = asUid('uid-of-the-flow');
const formerUid = asUid('uid-of-a-former-object');

function ownedJob(owner: Uid): NewObject {
  const reference = { apiVersion: 'api.practice.com/v1alpha1', kind: 'JobFlow', name: 'etl' };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { ...target, ownerReferences: [{ ...reference, uid: owner, controller: true }] },
    spec: { suspend: false },
  };
}

function beingDeleted(object: NewObject): NewObject {
  const deletion = {
    deletionTimestamp: '2026-01-01T00:00:00Z',
    finalizers: ['foregroundDeletion'],
  };
  return { ...object, metadata: { ...object.metadata, ...deletion } };
}

function messageOf(outcome: ApplyOutcome): string | undefined {
  return outcome.kind === 'rejected' ? outcome.rejections[0]?.message : undefined;
}

const create: CreateOperation = {
  kind: 'create',
  resource: resources.Job,
  object: ownedJob(ours),
  ownerUid: ours,
};

function world() {
  const cluster = createStoredCluster();
  const apply = (plan: Plan, client: KubeClient = cluster.client) =>
    applyPlan(plan, {
      client,
      fieldManager: 'millrace.dev/test',
      instance: 'test',
      clock: { now: () => 0 },
    });
  return { cluster, apply, job: (): KubeObject | undefined => cluster.objects('Job')[0] };
}

/** Every create takes effect, and its answer never arrives the first time. */
function losingReplies(client: KubeClient): KubeClient {
  let lost = 0;
  return {
    ...client,
    create: async (...args) => {
      const created = await client.create(...args);
      lost += 1;
      if (lost > 1) return created;
      throw new MillraceError('MR_API_UNREACHABLE', {
        verb: 'create',
        path: 'jobs',
        detail: 'cut',
      });
    },
  };
}

describe('a create that is answered with warnings', () => {
  const warning = (client: KubeClient, ...texts: readonly string[]): KubeClient => ({
    ...client,
    create: async (resource, object, options) => {
      for (const text of texts) options?.onWarning?.(text);
      return client.create(resource, object, options);
    },
  });

  it('is applied, and the outcome tells what was lost', async () => {
    const { cluster, apply, job } = world();
    const outcome = await apply([[create]], warning(cluster.client, 'unknown field "spec.x"'));
    expect(outcome).toMatchObject({
      kind: 'applied',
      warnings: [{ name: 'etl-a', message: 'unknown field "spec.x"' }],
    });
    expect(job()).toBeDefined();
  });

  it('passes on no advice, which may come with every object of a cluster', async () => {
    const { cluster, apply } = world();
    const advice = 'would violate PodSecurity "restricted:latest"';
    const { warnings } = await apply([[create]], warning(cluster.client, advice));
    expect(warnings).toEqual([]);
  });

  it('keeps its warnings although another one is refused', async () => {
    const { cluster, apply } = world();
    const foreign = { ...create.object, metadata: { ...target, name: 'etl-b' } };
    cluster.put(foreign);
    const plan: Plan = [[create, { ...create, object: foreign }]];
    expect(await apply(plan, warning(cluster.client, 'unknown field "spec.x"'))).toMatchObject({
      kind: 'rejected',
      warnings: [{ name: 'etl-a' }],
    });
  });
});

describe('a create whose name is taken (A1)', () => {
  it('finds its own object of an attempt whose reply was lost, and adopts it', async () => {
    const { cluster, apply, job } = world();
    const lossy = losingReplies(cluster.client);
    expect(await apply([[create]], lossy)).toMatchObject({
      kind: 'failed',
      error: { code: 'MR_API_UNREACHABLE' },
    });
    const outcome = await apply([[create]], lossy);
    expect(outcome).toMatchObject({
      kind: 'applied',
      writes: [{ done: 'adopt', uid: job()?.metadata.uid }],
    });
    expect(cluster.objects('Job')).toHaveLength(1);
  });

  it.each([
    ['another flow', ownedJob(asUid('uid-of-another-flow'))],
    ['a former flow of the same name', ownedJob(formerUid)],
    ['nobody', { ...ownedJob(ours), metadata: target }],
  ])('reports the conflict when the object belongs to %s', async (_, foreign) => {
    const { cluster, apply } = world();
    cluster.put(foreign);
    expect(await apply([[create]])).toMatchObject({
      kind: 'rejected',
      rejections: [{ name: 'etl-a', code: 'NameConflict' }],
      writes: [],
    });
  });

  it('reports that the name is about to be free when the foreign object is being deleted', async () => {
    const { cluster, apply } = world();
    cluster.put(beingDeleted(ownedJob(formerUid)));
    const outcome = await apply([[create]]);
    expect(outcome).toMatchObject({
      kind: 'rejected',
      rejections: [{ name: 'etl-a', code: 'NameTerminating' }],
      writes: [],
    });
    expect(messageOf(outcome)).toContain(
      'held by Job etl-a of another JobFlow etl, which is being deleted (finalizers foregroundDeletion)',
    );
  });

  it('names nothing that holds the name when nothing does', async () => {
    const { cluster, apply } = world();
    const { metadata, ...rest } = beingDeleted(ownedJob(formerUid));
    const { finalizers, ...free } = metadata;
    expect(finalizers).toEqual(['foregroundDeletion']);
    cluster.put({ ...rest, metadata: free });
    expect(messageOf(await apply([[create]]))).toContain(
      'which is being deleted: wait for its Pods to end',
    );
  });

  it('names what holds the name, three at most', async () => {
    const { cluster, apply } = world();
    const finalizers = ['a/one', 'a/two', 'a/three', 'a/four'];
    const { metadata, ...rest } = beingDeleted(ownedJob(formerUid));
    cluster.put({ ...rest, metadata: { ...metadata, finalizers } });
    expect(messageOf(await apply([[create]]))).toContain(
      '(finalizers a/one, a/two, a/three, ...): wait for its Pods to end',
    );
  });

  it('adopts its own object while that is being deleted: there is no second one of an attempt', async () => {
    const { cluster, apply, job } = world();
    cluster.put(beingDeleted(ownedJob(ours)));
    expect(await apply([[create]])).toMatchObject({
      kind: 'applied',
      writes: [{ done: 'adopt', uid: job()?.metadata.uid }],
    });
  });
});

describe('a refusal that quotes an environment value', () => {
  const env = [{ name: 'TOKEN', value: 'canary-4711' }];
  const detail = 'spec.containers[0].env[0]: Invalid value: core.EnvVar{Value:"canary-4711"}';
  const refusing = (
    client: KubeClient,
    code: 'MR_API_INVALID' | 'MR_API_RETRYABLE',
  ): KubeClient => {
    const refuse = () => Promise.reject(new MillraceError(code, { verb: 'v', path: 'p', detail }));
    return { ...client, create: refuse, patch: refuse };
  };
  const withEnv: Operation = { ...create, object: { ...create.object, spec: { env } } };
  const patch: Operation = {
    ...{ kind: 'patch', resource: resources.Job, target, uid: ours, patch: { spec: { env } } },
  };
  const status: Operation = {
    ...{ kind: 'patchStatus', resource: resources.JobFlow, target, uid: ours, status: { env } },
    resourceVersion: asResourceVersion('1'),
  };

  it('is passed on without it (A7)', async () => {
    const { cluster, apply } = world();
    const outcome = await apply([[withEnv]], refusing(cluster.client, 'MR_API_INVALID'));
    expect(messageOf(outcome)).toBe(detail.replace('canary-4711', '[redacted]'));
  });

  it.each([withEnv, patch, status])('is a fault without it: $kind (A7)', async (operation) => {
    const { cluster, apply } = world();
    const client = refusing(cluster.client, 'MR_API_RETRYABLE');
    const outcome = await apply([[operation]], client);
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'MR_API_RETRYABLE' } });
    const error = outcome.kind === 'failed' ? String(outcome.error) : '';
    expect(error).toContain('[redacted]');
    expect(error).not.toContain('canary');
  });
});

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

  it('that was written before is in effect, and nothing to tell of (A1)', async () => {
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

describe('a status that is refused', () => {
  const patchStatus = (object: KubeObject): Operation => ({
    kind: 'patchStatus',
    resource: resources.Job,
    target,
    uid: object.metadata.uid,
    resourceVersion: object.metadata.resourceVersion,
    status: { active: 1 },
  });
  const refusing = (
    client: KubeClient,
    code: ErrorCode,
    fields: Readonly<Record<string, string>> = { detail: 'request is too large' },
  ): KubeClient => ({
    ...client,
    patch: () =>
      Promise.reject(new MillraceError(code, { verb: 'patch', path: 'jobs', ...fields })),
  });

  it('for good is told of by one Event, and is a fault of the plan (A5)', async () => {
    const { cluster, apply } = world();
    const plan = [[patchStatus(cluster.put(ownedJob(ours)))]];
    const client = refusing(cluster.client, 'MR_API_TOO_LARGE');
    expect(await apply(plan, client)).toMatchObject({
      kind: 'failed',
      error: { code: 'MR_API_TOO_LARGE' },
    });
    expect(await apply(plan, client)).toMatchObject({
      kind: 'failed',
      error: { code: 'MR_API_TOO_LARGE' },
    });
    expect(cluster.objects('Event')).toMatchObject([
      { type: 'Warning', reason: 'StatusNotWritten', action: 'PatchStatus' },
    ]);
    expect(JSON.stringify(cluster.objects('Event'))).toContain(
      'the status cannot be written and nothing goes on: MR_API_TOO_LARGE: request is too large; make the object smaller',
    );
  });

  it.each([
    ['at most 500 characters of it', { detail: 'x'.repeat(501) }, `: ${'x'.repeat(500)}; `],
    ['the whole message when it tells nothing', {}, ': patch jobs: larger than the API server'],
  ])('is told of in the words of the API server: %s', async (_, fields, words) => {
    const { cluster, apply } = world();
    const plan = [[patchStatus(cluster.put(ownedJob(ours)))]];
    const client = refusing(cluster.client, 'MR_API_TOO_LARGE', fields);
    expect(await apply(plan, client)).toMatchObject({ kind: 'failed' });
    expect(JSON.stringify(cluster.objects('Event'))).toContain(words);
  });

  it('is told of by nobody once the run is called off (A6)', async () => {
    const { cluster } = world();
    const stop = new AbortController();
    const plan = [[patchStatus(cluster.put(ownedJob(ours)))]];
    const refusal = refusing(cluster.client, 'MR_API_TOO_LARGE');
    const client: KubeClient = {
      ...cluster.client,
      patch: (...args) => {
        stop.abort();
        return refusal.patch(...args);
      },
    };
    const context = { client, fieldManager: 'millrace.dev/test', instance: 'test' };
    const outcome = await applyPlan(plan, {
      ...context,
      clock: { now: () => 0 },
      signal: stop.signal,
    });
    expect(outcome).toMatchObject({ kind: 'aborted' });
    expect(cluster.objects('Event')).toEqual([]);
  });

  it('for now is told of by nobody', async () => {
    const { cluster, apply } = world();
    const plan = [[patchStatus(cluster.put(ownedJob(ours)))]];
    const client = refusing(cluster.client, 'MR_API_RETRYABLE');
    expect(await apply(plan, client)).toMatchObject({
      kind: 'failed',
      error: { code: 'MR_API_RETRYABLE' },
    });
    expect(cluster.objects('Event')).toEqual([]);
  });
});

it('sends nothing more once it is called off (A6)', async () => {
  const { cluster } = world();
  const stop = new AbortController();
  const createOf = (index: number): Operation => {
    const object = ownedJob(ours);
    return {
      ...create,
      object: { ...object, metadata: { ...object.metadata, name: `j${index}` } },
    };
  };
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

describe('of several faults in one stage', () => {
  const faulty = (faults: Readonly<Record<string, ErrorCode>>, client: KubeClient): KubeClient => ({
    ...client,
    patch: (_resource, { name }) =>
      Promise.reject(
        new MillraceError(faults[name]!, {
          verb: 'patch',
          path: name,
          reason: 'Conflict',
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

it('begins no stage before the one before it has succeeded (A2)', async () => {
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
