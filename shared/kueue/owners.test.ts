import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { type FindOwner, frameworkOf, ownersOf } from './owners.ts';

const queueLabel = 'kueue.x-k8s.io/queue-name';

interface Ownership {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly controller?: boolean;
  readonly uid?: string;
}

/** An object whose owner has this name; `''`: no owner. */
function owned(name: string, by: string, fields: Ownership = {}): KubeObject {
  const controller = {
    ...{ apiVersion: 'batch/v1', kind: 'Job', controller: true },
    ...{ name: by, uid: `u-${by}`, ...fields },
  };
  const metadata = {
    ...{ name, namespace: 'team-a', uid: `u-${name}`, labels: { [queueLabel]: `q-${name}` } },
    ...(by === '' ? {} : { ownerReferences: [controller] }),
  };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata } as unknown as KubeObject;
}

/**
 * The result for `object` among these objects, and the requests as `group/version/plural
 * namespace/name`.
 */
async function look(
  object: KubeObject,
  others: readonly KubeObject[],
  more: readonly string[] = [],
) {
  const asked: string[] = [];
  const find: FindOwner = async ({ group, version, plural, namespaced }, { namespace, name }) => {
    expect(namespaced).toBe(true);
    asked.push(`${group}/${version}/${plural} ${namespace}/${name}`);
    return others.find(({ metadata }) => metadata.name === name);
  };
  const frameworks = new Set(['Job.v1.batch', ...more]);
  const found = await ownersOf(object.metadata, 'team-a', frameworks, find);
  return { ...found, names: found.owners.map(({ metadata }) => metadata.name), asked };
}

/** `o1` belongs to `o2`, and so on; the last one has no owner. */
const chain = (length: number) =>
  Array.from({ length }, (_, at) => owned(`o${at + 1}`, at + 1 === length ? '' : `o${at + 2}`));

describe('the owners of an object', () => {
  it('are followed from one to the next', async () => {
    const { names, isEndless } = await look(owned('a', 'o1'), chain(2));
    expect(names).toEqual(['o1', 'o2']);
    expect(isEndless).toBe(false);
  });

  it('are followed as far as Kueue goes, and no further', async () => {
    expect(await look(owned('a', 'o1'), chain(10))).toMatchObject({ isEndless: false });
    const eleven = await look(owned('a', 'o1'), chain(11));
    expect(eleven.isEndless).toBe(true);
    expect(eleven.asked).toHaveLength(10);
  });

  it('that are a circle are found to be one at once', async () => {
    const circle = await look(owned('a', 'o1'), [owned('o1', 'o2'), owned('o2', 'o1')]);
    expect([circle.isEndless, circle.asked.length]).toEqual([true, 2]);
  });

  it('end with one of a kind that Kueue does not know, or that does not control it', async () => {
    expect((await look(owned('a', 'o1', { kind: 'Other' }), chain(1))).asked).toEqual([]);
    expect((await look(owned('a', 'o1', { controller: false }), chain(1))).asked).toEqual([]);
  });

  it('end with one that is gone, or whose name another one has', async () => {
    expect((await look(owned('a', 'o1'), [])).names).toEqual([]);
    expect((await look(owned('a', 'o1', { uid: 'u-of-before' }), chain(1))).names).toEqual([]);
  });
});

describe('an owner is asked for', () => {
  it.each([
    ['batch/v1', 'Job', 'batch/v1/jobs'],
    ['api.practice.com/v1alpha1', 'JobFlow', 'api.practice.com/v1alpha1/jobflows'],
    ['api.practice.com/v1alpha1', 'DaemonJob', 'api.practice.com/v1alpha1/daemonjobs'],
    ['jobset.x-k8s.io/v1alpha2', 'JobSet', 'jobset.x-k8s.io/v1alpha2/jobsets'],
    ['workload.codeflare.dev/v1beta2', 'AppWrapper', 'workload.codeflare.dev/v1beta2/appwrappers'],
    // In the Role's version, whichever version the reference has.
    ['jobset.x-k8s.io/v1', 'JobSet', 'jobset.x-k8s.io/v1alpha2/jobsets'],
    // Another group means another kind.
    ['example.com/v1', 'JobSet', 'example.com/v1/jobsets'],
    ['v1', 'Pod', '/v1/pods'],
  ])('as a kind of %s: %s', async (apiVersion, kind, asked) => {
    const framework = frameworkOf({ apiVersion, kind });
    const found = await look(owned('a', 'o1', { apiVersion, kind }), [], [framework]);
    expect(found.asked).toEqual([`${asked} team-a/o1`]);
  });
});

it('what Kueue calls a kind is its kind, version and group', () => {
  expect(frameworkOf({ apiVersion: 'batch/v1', kind: resources.Job.kind })).toBe('Job.v1.batch');
  expect(frameworkOf({ apiVersion: 'v1', kind: 'Pod' })).toBe('Pod.v1.');
});
