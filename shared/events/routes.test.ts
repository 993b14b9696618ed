import { describe, expect, it } from 'vitest';
import { asEventId, asUid, type ObjectKey } from '#shared/domain/objects.ts';
import { apiVersionOf } from '#shared/domain/objects.ts';
import { type ResourceKind, resources } from '#shared/domain/resources.ts';
import type { EventReference } from './event.ts';
import { route } from './routes.ts';

const jobFlow = apiVersionOf(resources.JobFlow);
const nobody = () => [];

function event(kind: ResourceKind, more: Partial<EventReference> = {}): EventReference {
  return {
    id: asEventId('u1.7'),
    apiVersion: apiVersionOf(resources[kind]),
    kind: resources[kind].kind,
    namespace: 'team',
    name: 'one',
    uid: asUid('u1'),
    ...more,
  } as EventReference;
}

const owner = { apiVersion: jobFlow, kind: 'JobFlow', name: 'etl', uid: asUid('f1') };
const flowKey = { apiVersion: jobFlow, kind: 'JobFlow', namespace: 'team', name: 'etl', uid: 'f1' };

describe('an event', () => {
  it('of a flow asks for the flow itself, under the id and the trace of the event', () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    expect(route(event('JobFlow', { traceparent }), nobody)).toEqual([
      {
        function: 'flow-advance',
        key: { ...flowKey, name: 'one', uid: 'u1' },
        cause: 'u1.7',
        traceparent,
      },
    ]);
  });

  it('of a Job asks for the flow that controls it, in the namespace of the Job', () => {
    const items = route(event('Job', { owner }), nobody);
    expect(items).toEqual([{ function: 'flow-advance', key: flowKey, cause: 'u1.7' }]);
  });

  it.each([
    ['nobody', undefined],
    ['another kind', { ...owner, kind: 'CronJob' }],
    ['a JobFlow of another group', { ...owner, apiVersion: 'other.io/v1alpha1' }],
  ])('of a Job that %s controls asks for nothing', (_, controller) => {
    const more = controller === undefined ? {} : { owner: controller };
    expect(route(event('Job', more), nobody)).toEqual([]);
  });

  it.each(['JobTemplate', 'Pod'] as const)(
    'of a %s asks for each flow that refers to it, in the order in which they are found',
    (kind) => {
      const keys = ['a', 'b'].map((name): ObjectKey => ({ ...flowKey, name, uid: asUid(name) }));
      const asked: unknown[] = [];
      const items = route(event(kind), (found, referring) => {
        asked.push([found.kind, referring]);
        return keys;
      });
      expect(items.map(({ key }) => key)).toEqual(keys);
      expect(asked).toEqual([[kind, 'JobFlow']]);
    },
  );

  it('of a kind that nobody is interested in asks for nothing', () => {
    expect(route(event('Lease'), () => [flowKey as ObjectKey])).toEqual([]);
  });
});
