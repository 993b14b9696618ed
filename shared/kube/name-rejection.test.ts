import { describe, expect, it } from 'vitest';
import { labels } from '#shared/domain/labels.ts';
import { asResourceVersion, asUid, type KubeObject } from '#shared/domain/objects.ts';
import { isOfAnotherMachine, nameRejection } from './name-rejection.ts';

function holder(metadata: Partial<KubeObject['metadata']> = {}): KubeObject {
  const identity = { uid: asUid('u1'), resourceVersion: asResourceVersion('1') };
  return {
    ...{ apiVersion: 'batch/v1', kind: 'Job' },
    metadata: { namespace: 'team', name: 'etl-a', ...identity, ...metadata },
  };
}
const deletionTimestamp = '2026-01-01T00:00:00Z';
const owner = { apiVersion: 'x/v1', kind: 'JobFlow', name: 'other', uid: asUid('u2') };

describe('a name that another child of the owner has already', () => {
  const ownerReferences = [{ ...owner, controller: true as const }];
  const labelled = (machine: string) => ({ labels: { [labels.nodeUid]: machine } });

  it('is taken by one for another machine, not by one that says nothing of machines', () => {
    const wanted = holder(labelled('new'));
    expect(isOfAnotherMachine(holder(labelled('old')), wanted)).toBe(true);
    expect(isOfAnotherMachine(holder(labelled('new')), wanted)).toBe(false);
    expect(isOfAnotherMachine(holder(), wanted)).toBe(false);
  });

  it('is reported as being for another machine', () => {
    const message = 'Job team/etl-a exists and is for another machine';
    expect(nameRejection(holder({ ownerReferences }), owner.uid)).toMatchObject({ message });
    const leaving = nameRejection(holder({ ownerReferences, deletionTimestamp }), owner.uid);
    expect(leaving).toEqual({
      name: 'etl-a',
      code: 'NameTerminating',
      message:
        'the name is held by Job etl-a for another machine, which is being deleted: wait for its Pods to end, or remove what holds it',
    });
  });
});

describe('a name that an object has already', () => {
  it('is taken, with the place of the object to look at', () => {
    expect(nameRejection(holder())).toEqual({
      name: 'etl-a',
      code: 'NameConflict',
      message: 'Job team/etl-a exists and has another owner: delete it, or choose another name',
    });
  });

  it.each<readonly [string, Partial<KubeObject['metadata']>]>([
    ['of another owner, which is being deleted', {}],
    [
      'of another JobFlow other, which is being deleted',
      { ownerReferences: [{ ...owner, controller: true }] },
    ],
    ['of another owner, which is being deleted', { ownerReferences: [owner] }],
    [
      'of another owner, which is being deleted (finalizers a, b, c)',
      { finalizers: ['a', 'b', 'c'] },
    ],
    [
      'of another owner, which is being deleted (finalizers a, b, c, ...)',
      { finalizers: ['a', 'b', 'c', 'd'] },
    ],
  ])('is about to be free when it is one %s', (whose, metadata) => {
    expect(nameRejection(holder({ deletionTimestamp, ...metadata }))).toEqual({
      name: 'etl-a',
      code: 'NameTerminating',
      message: `the name is held by Job etl-a ${whose}: wait for its Pods to end, or remove what holds it`,
    });
  });
});
