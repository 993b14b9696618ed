import { describe, expect, it } from 'vitest';
import {
  asResourceVersion,
  asUid,
  type KubeObject,
  type Resource,
} from '#shared/domain/objects.ts';
import { omit } from '#shared/domain/omit.ts';
import { resources } from '#shared/domain/resources.ts';
import { job } from '#shared/domain/testing/objects.ts';
import type { EventReference } from '#shared/events/event-reference.ts';
import type { SeenObjects } from '#shared/subscription/subscription.ts';
import { subscription } from '../subscription.ts';

const { Job, SuspendPolicy, ClusterSuspendPolicy } = resources;
const { watches } = subscription;

const policy = (name: string, tier: string, namespace = 'default'): KubeObject => ({
  apiVersion: 'millrace.dev/v1alpha1',
  kind: 'SuspendPolicy',
  metadata: { name, namespace, uid: asUid(name), resourceVersion: asResourceVersion('1') },
  spec: { selector: { matchLabels: { tier } } },
});

function seenOf(...objects: readonly KubeObject[]): SeenObjects {
  const of = (kind: string) => objects.filter((object) => object.kind === kind);
  return {
    get: ({ kind }, namespace, name) =>
      of(kind).find(({ metadata }) => metadata.name === name && metadata.namespace === namespace),
    list: ({ kind }) => of(kind),
    listByOwner: () => [],
  };
}

function wokenBy(
  resource: Resource,
  name: string,
  seen: SeenObjects,
  more: Pick<EventReference, 'owner'> = {},
): readonly string[] {
  const watch = watches.find((each) => each.resource === resource);
  if (typeof watch?.leadsTo !== 'function') throw new Error('it has no index');
  const event = { kind: resource.kind, namespace: 'default', name, ...more } as EventReference;
  return watch
    .leadsTo(seen)(event)
    .map((key) => key.name);
}

const batch = policy('batch', 'batch');
const web = policy('web', 'web');
const far = policy('far', 'batch', 'far');

describe('what happens to an object', () => {
  it('concerns the policies that select it', () => {
    const selected = job({ name: 'a', metadata: { labels: { tier: 'batch' } } });
    expect(wokenBy(Job, 'a', seenOf(batch, web, far, selected))).toEqual(['batch']);
  });

  it('concerns the policy that holds it, also when that selects it no more', () => {
    const annotations = { 'millrace.dev/suspended-by': 'web/0' };
    const moved = job({ name: 'a', metadata: { labels: { tier: 'batch' }, annotations } });
    expect(wokenBy(Job, 'a', seenOf(batch, web, far, moved))).toEqual(['batch', 'web']);
  });

  it('concerns all of its namespace when it is gone: there may be room now', () => {
    expect(wokenBy(Job, 'a', seenOf(batch, web, far))).toEqual(['batch', 'web']);
  });

  it('concerns every policy of the cluster when it is gone, wherever it was', () => {
    const { metadata, ...rest } = batch;
    const all = { ...rest, kind: 'ClusterSuspendPolicy', metadata: omit(metadata, 'namespace') };
    const watch = watches.find(({ resource }) => resource === Job);
    if (typeof watch?.leadsTo !== 'function') throw new Error('it has no index');
    const gone = { kind: 'Job', namespace: 'anywhere', name: 'a' } as EventReference;
    expect(
      watch
        .leadsTo(seenOf(all, web))(gone)
        .map(({ name }) => name),
    ).toEqual(['batch']);
  });

  it('wakes nothing where there is no policy', () => {
    expect(wokenBy(Job, 'a', seenOf(job({ name: 'a' })))).toEqual([]);
  });
});

describe('what Kueue makes of an object', () => {
  const { Workload } = resources;
  const labels = { tier: 'batch', 'kueue.x-k8s.io/queue-name': 'main' };
  const queued = job({ name: 'a', metadata: { labels } });
  const workload = (mark: string): KubeObject => ({
    apiVersion: 'kueue.x-k8s.io/v1beta2',
    kind: 'Workload',
    metadata: {
      ...{ name: 'of-a', namespace: 'default', uid: asUid('w') },
      resourceVersion: asResourceVersion('1'),
      annotations: { 'millrace.dev/suspended-by': mark },
    },
  });
  const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'a', uid: queued.metadata.uid };

  it('concerns the policies of that object', () => {
    const seen = seenOf(batch, web, far, queued);
    expect(wokenBy(Workload, 'of-a', seen, { owner })).toEqual(['batch']);
    const others = { ...owner, apiVersion: 'jobset.x-k8s.io/v1alpha2', kind: 'JobSet' };
    expect(wokenBy(Workload, 'of-a', seen, { owner: others })).toEqual([]);
    expect(wokenBy(Workload, 'of-a', seen)).toEqual([]);
  });

  it('concerns the policy that holds it by what it has made', () => {
    const seen = { ...seenOf(batch, web, far, queued), listByOwner: () => [workload('web/0')] };
    expect(wokenBy(Job, 'a', seen)).toEqual(['batch', 'web']);
    const plain = job({ name: 'a', metadata: { labels: { tier: 'batch' } } });
    const unmanaged = { ...seenOf(batch, web, far, plain), listByOwner: () => [workload('web/0')] };
    expect(wokenBy(Job, 'a', unmanaged)).toEqual(['batch']);
  });

  it('is followed once there is something that Kueue manages', () => {
    const needs = watches.find(({ resource }) => resource === Workload)?.neededBy ?? [];
    const ofJob = needs.find(({ resource }) => resource === Job);
    expect([ofJob?.when(queued), ofJob?.when(job({ name: 'b' }))]).toEqual([true, false]);
    expect(needs.map(({ resource }) => resource.kind)).toEqual([
      'Job',
      'JobFlow',
      'DaemonJob',
      'AppWrapper',
    ]);
  });
});

it('wakes every policy when one of either kind changes, for another one may decide then', () => {
  const seen = seenOf(batch, web, far);
  for (const resource of [SuspendPolicy, ClusterSuspendPolicy]) {
    expect(wokenBy(resource, 'batch', seen)).toEqual(['batch', 'web', 'far']);
  }
});
