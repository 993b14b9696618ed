import { expect, it } from 'vitest';
import { asUid } from '#shared/domain/objects.ts';
import type { Operation } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import { permittedPart } from './permitted-part.ts';

function createJob(name: string): Operation {
  const object = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name } };
  return { kind: 'create', resource: resources.Job, ownerUid: asUid('u'), object };
}

function deleteJob(name: string): Operation {
  const target = { namespace: 'team-a', name };
  return {
    ...{ kind: 'delete', resource: resources.Job, target },
    ...{ uid: asUid('u'), propagation: 'Background' },
  };
}

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(createJob) as [
  Operation,
  Operation,
  Operation,
  Operation,
];

it('leaves out what is refused, and every stage after that', () => {
  const plan = [[deleteJob('x'), a], [b, c], [d]];
  expect(permittedPart(plan, new Set(['b']))).toEqual([[deleteJob('x'), a], [c]]);
});

it('deletes a Job whose name is that of one that is refused', () => {
  expect(permittedPart([[deleteJob('a'), a]], new Set(['a']))).toEqual([[deleteJob('a')]]);
});

it('is empty where the first stage is refused as a whole', () => {
  expect(permittedPart([[a], [b]], new Set(['a', 'b']))).toEqual([[]]);
});
