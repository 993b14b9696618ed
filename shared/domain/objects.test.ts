import { expect, it } from 'vitest';
import { objectName } from './objects.ts';

it('names an object that belongs to the whole cluster with an empty namespace', () => {
  expect(objectName({ name: 'one' })).toEqual({ namespace: '', name: 'one' });
});

it('takes of the metadata nothing but the name', () => {
  const metadata = { namespace: 'team', name: 'one', generation: 3 };
  expect(objectName(metadata)).toEqual({ namespace: 'team', name: 'one' });
});
