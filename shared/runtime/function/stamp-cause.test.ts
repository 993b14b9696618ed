import { expect, it } from 'vitest';
import { annotations } from '#shared/domain/labels.ts';
import { asEventId, asUid } from '#shared/domain/objects.ts';
import type { Operation } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import { stampCause } from './stamp-cause.ts';

it('what a plan creates has the id of the event that caused it, beside its own annotations', () => {
  const create = (own: object): Operation => ({
    ...{ kind: 'create', resource: resources.Job, ownerUid: asUid('u-etl') },
    object: {
      ...{ apiVersion: 'batch/v1', kind: 'Job', spec: {} },
      metadata: { name: 'a', namespace: 'team-a', ...own },
    },
  });
  const target = { namespace: 'team-a', name: 'b' };
  const remove: Operation = {
    ...{ kind: 'delete', resource: resources.Job, target, uid: asUid('u-b') },
    propagation: 'Background',
  };
  const caused = { [annotations.causedBy]: 'u1.7' };
  const plan = [[remove, create({})], [create({ annotations: { note: 'x' } })]];
  expect(stampCause(plan, asEventId('u1.7'))).toEqual([
    [remove, create({ annotations: caused })],
    [create({ annotations: { note: 'x', ...caused } })],
  ]);
});
