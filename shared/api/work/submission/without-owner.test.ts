import { expect, it } from 'vitest';
import type { NewObject } from '#shared/domain/objects.ts';
import { withoutOwner } from './without-owner.ts';

it('keeps what a trial needs of the metadata, and adds no field that was not there', () => {
  const metadata = {
    name: 'etl-a',
    namespace: 'team-a',
    labels: { a: 'b' },
    annotations: { c: 'd' },
  };
  const ownerReferences = [{ apiVersion: 'v1', kind: 'JobFlow', name: 'etl', uid: 'u-1' }];
  const job = { apiVersion: 'batch/v1', kind: 'Job', spec: {} };
  const owned = { ...job, metadata: { ...metadata, ownerReferences } } as unknown as NewObject;
  expect(withoutOwner(owned)).toStrictEqual({ ...job, metadata });
  const bare = { ...job, metadata: { name: 'etl-a' } } as unknown as NewObject;
  expect(withoutOwner(bare)).toStrictEqual(bare);
});
