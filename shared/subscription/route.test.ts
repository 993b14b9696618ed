import { describe, expect, it } from 'vitest';
import { apiVersionOf, asEventId, asUid, type Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { EventReference } from '#shared/events/event-reference.ts';
import { directItems } from './route.ts';
import type { Subscription, Watch } from './subscription.ts';

const { JobFlow, Job, JobTemplate, Lease } = resources;
const jobFlow = apiVersionOf(JobFlow);

function watch(resource: Resource, leadsTo: Watch['leadsTo']): Watch {
  return { resource, leadsTo, fingerprint: () => null, keep: (object) => object };
}

function subscription(name: string, watches: readonly Watch[]): Subscription {
  return { name, decides: [JobFlow], kinds: [], watches, isUnfinished: () => false, access: [] };
}

const advance = subscription('flow-advance', [
  watch(JobFlow, 'self'),
  watch(Job, 'controller'),
  watch(JobTemplate, () => () => {
    throw new Error('no process has the views here');
  }),
]);

function event(resource: Resource, more: Partial<EventReference> = {}): EventReference {
  return {
    id: asEventId('u1.7'),
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    namespace: 'team',
    name: 'one',
    uid: asUid('u1'),
    ...more,
  } as EventReference;
}

const owner = { apiVersion: jobFlow, kind: 'JobFlow', name: 'etl', uid: asUid('f1') };
const flowKey = { apiVersion: jobFlow, kind: 'JobFlow', namespace: 'team', name: 'etl', uid: 'f1' };

describe('an event', () => {
  it('of the decided kind asks for the object itself, under the id and the trace of the event', () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    expect(directItems([advance], event(JobFlow, { traceparent }))).toEqual([
      {
        function: 'flow-advance',
        key: { ...flowKey, name: 'one', uid: 'u1' },
        cause: 'u1.7',
        traceparent,
      },
    ]);
  });

  it('of a child asks for its controller, whichever of the decided kinds that is', () => {
    const both = { ...advance, decides: [JobTemplate, JobFlow] };
    expect(directItems([both], event(Job, { owner }))).toMatchObject([{ key: flowKey }]);
    const ofTheOther = { ...owner, kind: 'JobTemplate' };
    expect(directItems([both], event(Job, { owner: ofTheOther }))).toMatchObject([
      { key: { ...flowKey, kind: 'JobTemplate' } },
    ]);
  });

  it('of a child asks for its controller, in the namespace of the child', () => {
    const items = directItems([advance], event(Job, { owner }));
    expect(items).toEqual([{ function: 'flow-advance', key: flowKey, cause: 'u1.7' }]);
  });

  it.each([
    ['no object', undefined],
    ['another kind', { ...owner, kind: 'CronJob' }],
    ['one of another group', { ...owner, apiVersion: 'other.io/v1alpha1' }],
  ])('of a child that %s controls asks for nothing', (_, controller) => {
    const more = controller === undefined ? {} : { owner: controller };
    expect(directItems([advance], event(Job, more))).toEqual([]);
  });

  it('asks every function that watches its kind, in their order', () => {
    const sync = subscription('kueue-workload-sync', [watch(JobFlow, 'self')]);
    const items = directItems([advance, sync], event(JobFlow));
    expect(items.map((item) => item.function)).toEqual(['flow-advance', 'kueue-workload-sync']);
  });

  it.each([JobTemplate, Lease])(
    'of a kind without a direct way asks for nothing: $kind',
    (kind) => {
      expect(directItems([advance], event(kind, { owner }))).toEqual([]);
    },
  );
});
