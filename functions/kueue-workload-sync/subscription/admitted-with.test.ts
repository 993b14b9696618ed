import { expect, it } from 'vitest';
import { queuedKinds } from '#shared/api/work/queued-kinds.ts';
import { controllerOf, type KubeObject } from '#shared/domain/objects.ts';
import { daemonJob, ownedBy } from '#shared/domain/testing/objects.ts';
import type { EventReference } from '#shared/events/event-reference.ts';
import type { SeenObjects } from '#shared/subscription/subscription.ts';
import { queuedFlow, workloadOf } from '../testing/queued.ts';
import { admittedWith } from './admitted-with.ts';

const outer = queuedFlow({ name: 'outer' });
const middle = queuedFlow({ name: 'middle', metadata: ownedBy(outer) });
const inner = daemonJob({ name: 'inner', metadata: ownedBy(middle) });
const other = queuedFlow({ name: 'other' });

function seenOf(...objects: readonly KubeObject[]): SeenObjects {
  const of = (kind: string) => objects.filter((object) => object.kind === kind);
  return {
    get: () => undefined,
    list: ({ kind }) => of(kind),
    listByOwner: ({ kind }, uid) =>
      of(kind).filter(({ metadata }) => controllerOf(metadata)?.uid === uid),
  };
}

function wokenBy(workload: KubeObject, seen: SeenObjects): readonly string[] {
  const owner = controllerOf(workload.metadata);
  const event = { namespace: 'default', ...(owner === undefined ? {} : { owner }) };
  return admittedWith(queuedKinds.map(({ resource }) => resource))(seen)(
    event as EventReference,
  ).map(({ kind, name }) => `${kind} ${name}`);
}

it('a Workload wakes the object that has it, and all that belongs to that', () => {
  const seen = seenOf(outer, middle, inner, other);
  expect(wokenBy(workloadOf(outer), seen)).toEqual([
    ...['JobFlow outer', 'JobFlow middle', 'DaemonJob inner'],
  ]);
  expect(wokenBy(workloadOf(other), seen)).toEqual(['JobFlow other']);
});

it('a Workload of Kueue’s own wakes what its owner owns, and all that belongs to that', () => {
  const jobSet = { ...outer, apiVersion: 'jobset.x-k8s.io/v1alpha2', kind: 'JobSet' };
  const owned = queuedFlow({ name: 'middle', metadata: ownedBy(jobSet) });
  const ownerReferences = ownedBy(jobSet).ownerReferences ?? [];
  const workload = workloadOf(other, {}, {}, { ownerReferences });
  expect(wokenBy(workload, seenOf(owned, inner))).toEqual(['JobFlow middle', 'DaemonJob inner']);
});

it('a search ends also on owners that form a circle', () => {
  const circle = { ...outer, metadata: { ...outer.metadata, ...ownedBy(middle) } };
  expect(wokenBy(workloadOf(circle), seenOf(circle, middle))).toEqual([
    ...['JobFlow outer', 'JobFlow middle'],
  ]);
});

it('a Workload without a controlling owner wakes nothing', () => {
  const workload = workloadOf(outer, {}, {}, { ownerReferences: [] });
  expect(wokenBy(workload, seenOf(outer, middle))).toEqual([]);
});
