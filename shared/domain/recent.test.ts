import { expect, it } from 'vitest';
import { Recent } from './recent.ts';

it('remembers as many keys as it may, those that were set last', () => {
  const recent = new Recent<number>(2);
  recent.set('a', 1);
  recent.set('b', 2);
  expect([recent.get('a'), recent.get('b')]).toEqual([1, 2]);
  recent.set('c', 3);
  expect([recent.get('a'), recent.get('b'), recent.get('c')]).toEqual([undefined, 2, 3]);
});

it('takes a key that is set again for a new one', () => {
  const recent = new Recent<number>(2);
  recent.set('a', 1);
  recent.set('b', 2);
  recent.set('a', 3);
  recent.set('c', 4);
  expect([recent.get('a'), recent.get('b'), recent.get('c')]).toEqual([3, undefined, 4]);
});

it('has room again for what was deleted', () => {
  const recent = new Recent<number>(2);
  recent.set('a', 1);
  recent.set('b', 2);
  recent.delete('a');
  expect(recent.get('a')).toBeUndefined();
  recent.set('c', 3);
  expect([recent.get('b'), recent.get('c')]).toEqual([2, 3]);
});
