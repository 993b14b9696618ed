import { describe, expect, it } from 'vitest';
import { MillraceError } from '#shared/domain/errors.ts';
import { labels } from '#shared/domain/labels.ts';
import { asResourceVersion, asUid, type JsonObject } from '#shared/domain/objects.ts';
import type { Operation, Plan } from '#shared/domain/plan.ts';
import type { KubeClient } from './client.ts';
import {
  beingDeleted,
  create,
  formerUid,
  messageOf,
  ours,
  ownedJob,
  target,
  world,
} from './testing/applied-plans.ts';
import { resources } from '#shared/domain/resources.ts';

/** Every create takes effect, but the first answer never arrives. */
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

it('the outcome names the machine of a created Job', async () => {
  const { apply } = world();
  const { metadata, ...rest } = create.object;
  const labelled = { ...metadata, labels: { ...metadata.labels, [labels.nodeUid]: 'm1' } };
  const ofMachine = { ...create, object: { ...rest, metadata: labelled } };
  expect((await apply([[ofMachine]])).writes).toMatchObject([{ name: 'etl-a', trace: 'etl-a/m1' }]);
  expect((await world().apply([[create]])).writes[0]).not.toHaveProperty('trace');
});

describe('a create that is answered with warnings', () => {
  const warning = (client: KubeClient, ...texts: readonly string[]): KubeClient => ({
    ...client,
    create: async (resource, object, options) => {
      for (const text of texts) options?.onWarning?.(text);
      return client.create(resource, object, options);
    },
  });

  it('is applied, and the outcome has what was lost', async () => {
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

it('a create that is refused says first which fields the API server did not know', async () => {
  const { cluster, apply } = world();
  const refusing: KubeClient = {
    ...cluster.client,
    create: (_, __, options) => {
      options?.onWarning?.('unknown field "spec.template.spec.containers[0].imagee"');
      options?.onWarning?.('would violate PodSecurity "restricted:latest"');
      return Promise.reject(new MillraceError('MR_API_INVALID', { detail: 'image: Required' }));
    },
  };
  expect(await apply([[create]], refusing)).toMatchObject({
    kind: 'rejected',
    rejections: [
      { message: 'unknown field "spec.template.spec.containers[0].imagee"; image: Required' },
    ],
  });
});

it('a TTL that an admission of the cluster gave a new Job is in the outcome of its creation', async () => {
  const { cluster, apply } = world();
  const altering: KubeClient = {
    ...cluster.client,
    create: async (resource, object, options) => {
      const created = await cluster.client.create(resource, object, options);
      return { ...created, spec: { ...(created.spec as object), ttlSecondsAfterFinished: 0 } };
    },
  };
  expect(await apply([[create]], altering)).toMatchObject({
    kind: 'applied',
    warnings: [{ name: 'etl-a', isAltered: true }],
  });
  expect((await apply([[create]])).warnings).toEqual([]);
});

it('a TTL that an admission of the cluster took from a new Job loses no result', async () => {
  const { cluster, apply } = world();
  const altering: KubeClient = {
    ...cluster.client,
    create: async (resource, object, options) => {
      const { ttlSecondsAfterFinished: _, ...spec } = (object.spec ?? {}) as JsonObject;
      return cluster.client.create(resource, { ...object, spec }, options);
    },
  };
  const spec = { ...(create.object.spec as JsonObject), ttlSecondsAfterFinished: 60 };
  const limited = { ...create, object: { ...create.object, spec } };
  expect(await apply([[limited]], altering)).toMatchObject({ kind: 'applied', warnings: [] });
});

describe('a create whose name is taken (apply-1)', () => {
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
    ['no owner', { ...ownedJob(ours), metadata: target }],
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

  it('reports the conflict when the object is of its owner and for another machine', async () => {
    const { cluster, apply } = world();
    const forMachine = (machine: string) => {
      const { metadata, ...rest } = ownedJob(ours);
      return { ...rest, metadata: { ...metadata, labels: { [labels.nodeUid]: machine } } };
    };
    cluster.put(forMachine('old'));
    const anew = { ...create, object: forMachine('new') };
    expect(await apply([[anew]])).toMatchObject({
      kind: 'rejected',
      rejections: [{ name: 'etl-a', code: 'NameConflict' }],
      writes: [],
    });
    const again = { ...create, object: forMachine('old') };
    expect(await apply([[again]])).toMatchObject({ kind: 'applied', writes: [{ done: 'adopt' }] });
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

  it('is passed on without it (apply-7)', async () => {
    const { cluster, apply } = world();
    const outcome = await apply([[withEnv]], refusing(cluster.client, 'MR_API_INVALID'));
    expect(messageOf(outcome)).toBe(detail.replace('canary-4711', '[redacted]'));
  });

  it.each([withEnv, patch, status])('is a fault without it: $kind (apply-7)', async (operation) => {
    const { cluster, apply } = world();
    const client = refusing(cluster.client, 'MR_API_RETRYABLE');
    const outcome = await apply([[operation]], client);
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'MR_API_RETRYABLE' } });
    const error = outcome.kind === 'failed' ? String(outcome.error) : '';
    expect(error).toContain('[redacted]');
    expect(error).not.toContain('canary');
  });
});
