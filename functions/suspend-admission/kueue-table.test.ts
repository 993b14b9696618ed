/**
 * Kueue's table for Jobs with a parent of an external kind, and the cases of its own tests
 * (v0.19: jobframework, WorkloadShouldBeSuspended; test/integration/singlecluster/webhook/jobs).
 */
import { describe, expect, it } from 'vitest';
import { knownCluster } from '#shared/admission/testing/known-cluster.ts';
import { queuedWords } from '#shared/domain/queued-note.ts';
import { isObject } from '#shared/domain/json-value.ts';
import { asUid, type KubeObject } from '#shared/domain/objects.ts';
import type { Inquiry } from '#shared/kube/inquiry.ts';
import { defaultKueueSettings, type KueueSettings } from '#shared/kueue/kueue-settings.ts';
import { suspendAdmissions } from './testing/admissions.ts';
import { answer, clock, creation, object, type ObjectFields, policies } from './testing/reviews.ts';
import { apiVersion, owner, parent, queue, table, unregistered } from './testing/kueue-table.ts';

async function isSuspended(
  fields: ObjectFields,
  settings: Partial<KueueSettings>,
  cluster: Inquiry = knownCluster(),
  kind: 'Job' | 'JobFlow' | 'DaemonJob' = 'Job',
): Promise<boolean> {
  const kueue = { ...defaultKueueSettings, ...settings };
  const labels = { 'team-a': { 'kubernetes.io/metadata.name': 'team-a' } };
  const [admission] = suspendAdmissions({ policies: policies([], labels), clock, kueue });
  const decision = await answer(admission!, creation(object(kind, fields)), cluster);
  if (!decision.allowed) throw new Error(decision.message);
  const spec = decision.object?.['spec'];
  return isObject(spec) && spec['suspend'] === true;
}

describe("a Job by Kueue's table for external parents", () => {
  it.each(table)('$row', async ({ child, parents = [], isRegistered = true, suspended }) => {
    const settings = isRegistered ? {} : { frameworks: unregistered };
    const cluster = knownCluster(parents);
    const outcomes = [false, true].map((managesUnlabelled) =>
      isSuspended(child, { ...settings, managesUnlabelled }, cluster),
    );
    expect(await Promise.all(outcomes)).toEqual(suspended);
  });

  it('follows the owners of owners: the outermost that is in a queue counts', async () => {
    const outer = parent(queue, 'outer');
    const inner: KubeObject = {
      ...parent({}, 'inner'),
      metadata: {
        ...parent({}, 'inner').metadata,
        uid: asUid('u-inner'),
        ownerReferences: [{ ...owner({ name: 'outer' }), uid: asUid('u-0') } as never],
      },
    } as never;
    const known = knownCluster([outer]);
    const cluster: Inquiry = {
      ...known,
      reader: {
        ...known.reader,
        get: async (resource, name) =>
          name.name === 'inner' ? inner : known.reader.get(resource, name),
      },
    };
    const child = { labels: queue, ownerReferences: [owner({ name: 'inner', uid: 'u-inner' })] };
    expect(await isSuspended(child, {}, cluster)).toBe(false);
  });

  it('refuses what owns itself, and what has more owners than Kueue follows', async () => {
    const chain = (length: number): Inquiry => {
      const known = knownCluster();
      const get = async (_: unknown, { name }: { readonly name: string }) => {
        const next = (Number(name) + 1) % length;
        const metadata = {
          ...{ name, namespace: 'team-a', uid: `u-${name}` },
          ownerReferences: [owner({ name: String(next), uid: `u-${next}` })],
        };
        return { apiVersion, kind: 'JobFlow', metadata } as unknown as KubeObject;
      };
      return { ...known, reader: { ...known.reader, get } };
    };
    const child = { labels: queue, ownerReferences: [owner({ name: '0', uid: 'u-0' })] };
    for (const length of [1, 3, 50]) {
      await expect(isSuspended(child, {}, chain(length))).rejects.toThrow(
        'the owners form a cycle',
      );
    }
  });
});

describe('what has a queue label', () => {
  it.each(['Job', 'JobFlow', 'DaemonJob'] as const)('starts suspended as a %s', async (kind) => {
    expect(await isSuspended({ labels: queue }, {}, knownCluster(), kind)).toBe(true);
  });

  it('is left alone as a kind that Kueue does not manage', async () => {
    const frameworks = new Set(['JobFlow.v1alpha1.api.practice.com']);
    expect(await isSuspended({ labels: queue }, { frameworks })).toBe(false);
  });

  it('is left alone in a namespace that Kueue does not manage', async () => {
    const namespaces = { matchLabels: { managed: 'yes' } };
    const settings = { namespaces, managesUnlabelled: true };
    expect(await isSuspended({ labels: queue }, settings)).toBe(false);
    expect(await isSuspended({}, settings)).toBe(false);
  });

  it.each([
    ['Batch', 'batchs'],
    ['Trial', 'trials'],
    ['Policy', 'policies'],
    ['Gas', 'gases'],
  ])(
    'asks for an owner of an undeclared kind, %s, as apimachinery guesses: %s',
    async (kind, plural) => {
      const asked: string[] = [];
      const known = knownCluster();
      const cluster: Inquiry = {
        ...known,
        reader: {
          ...known.reader,
          get: async (resource, name) => {
            if (resource.kind === kind)
              asked.push(`${resource.group}/${resource.version}/${resource.plural}`);
            return known.reader.get(resource, name);
          },
        },
      };
      const own = owner({ apiVersion: 'labs.example.com/v1', kind });
      const frameworks = new Set([...unregistered, `${kind}.v1.labs.example.com`]);
      await isSuspended({ labels: queue, ownerReferences: [own] }, { frameworks }, cluster);
      expect(asked).toEqual([`labs.example.com/v1/${plural}`]);
    },
  );

  it('asks for no owner where no rule depends on it', async () => {
    const silent: Inquiry = {
      ...knownCluster(),
      reader: { ...knownCluster().reader, get: () => Promise.reject(new Error('asked')) },
    };
    expect(await isSuspended({ ownerReferences: [owner()] }, {}, silent)).toBe(false);
    await expect(
      isSuspended({ labels: queue, ownerReferences: [owner()] }, {}, silent),
    ).rejects.toThrow('asked');
  });
});

it('an object without a queue gets a warning where Kueue manages it all the same', async () => {
  const [admission] = suspendAdmissions({
    ...{ policies: policies(), clock },
    kueue: { ...defaultKueueSettings, managesUnlabelled: true },
  });
  const decision = await answer(admission!, creation(object('JobFlow')));
  if (!decision.allowed) throw new Error(decision.message);
  const message =
    'Kueue manages what names no queue too (manageJobsWithoutQueueName); give it the label kueue.x-k8s.io/queue-name';
  expect(decision.warnings).toEqual([message]);
  expect(queuedWords(decision.object?.['metadata'] as never)).toBe(`waits for a queue: ${message}`);
  const suspended = creation(object('JobFlow', { spec: { suspend: true } }));
  expect(await answer(admission!, suspended)).toEqual({ allowed: true });
});

describe('what names no queue beside a LocalQueue "default"', () => {
  const labels = { 'team-a': { 'kubernetes.io/metadata.name': 'team-a' } };
  async function submitted(
    kind: 'Job' | 'JobFlow' | 'DaemonJob',
    fields: ObjectFields = {},
    settings: Partial<KueueSettings> = {},
    cluster: Inquiry = knownCluster(),
  ): Promise<unknown> {
    const [admission] = suspendAdmissions({
      ...{ policies: policies([], labels, ['team-a/default', 'team-b/other']), clock },
      kueue: { ...defaultKueueSettings, ...settings },
    });
    const decision = await answer(admission!, creation(object(kind, fields)), cluster);
    if (!decision.allowed) throw new Error(decision.message);
    const { metadata, spec } = decision.object ?? {};
    const own = isObject(metadata) && isObject(metadata['labels']) ? metadata['labels'] : {};
    return [own['kueue.x-k8s.io/queue-name'], isObject(spec) && spec['suspend'] === true];
  }

  it.each(['JobFlow', 'DaemonJob'] as const)('gets its label, and waits: a %s', async (kind) => {
    expect(await submitted(kind, { labels: { own: 'kept' } })).toEqual(['default', true]);
    expect(await submitted(kind, { spec: { suspend: true } })).toEqual(['default', true]);
  });

  it('is left alone with a queue of its own, as a Job, and in a namespace that Kueue leaves alone', async () => {
    expect(await submitted('JobFlow', { labels: queue })).toEqual(['team-queue', true]);
    expect(await submitted('Job')).toEqual([undefined, false]);
    const namespaces = { matchLabels: { other: 'yes' } };
    expect(await submitted('JobFlow', {}, { namespaces })).toEqual([undefined, false]);
    expect(await submitted('JobFlow', {}, { frameworks: unregistered })).toEqual([
      ...[undefined, false],
    ]);
  });

  it('is left alone where its owner is of a kind that Kueue manages', async () => {
    const owned = { ownerReferences: [owner()] };
    expect(await submitted('DaemonJob', owned, {}, knownCluster([parent()]))).toEqual([
      ...[undefined, false],
    ]);
  });
});
