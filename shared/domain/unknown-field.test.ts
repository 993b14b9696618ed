import { describe, expect, it } from 'vitest';
import { explainedBeside, haveAlike, unknownFieldIn } from './unknown-field.ts';

it('the path is what the API server quotes', () => {
  expect(unknownFieldIn('unknown field "spec.a[0].b"')).toBe('spec.a[0].b');
  expect(unknownFieldIn('unknown field')).toBe('');
});

it('the command explains the field around, without places in lists', () => {
  expect(explainedBeside('spec.template.spec.containers[10].comand')).toBe(
    'kubectl explain job.spec.template.spec.containers',
  );
  expect(explainedBeside('')).toBe('kubectl explain job');
});

describe('two objects have a member alike', () => {
  const object = (value: unknown) => ({ a: [{}, { b: value }], 'c.d': 1 });

  it.each<[string, unknown, unknown]>([
    ['when the values are equal', ['x'], ['x']],
    ['when the values are the same number', 1, 1],
  ])('%s', (_, one, other) => {
    expect(haveAlike('a[1].b', object(one), object(other))).toBe(true);
  });

  it.each<[string, string, unknown, unknown]>([
    ['when the values differ', 'a[1].b', object(1), object(2)],
    ['when one has none', 'a[1].b', object(1), {}],
    ['when neither has one', 'a[2].b', object(1), object(1)],
    ['when a name holds a dot, since the path cannot say so', 'c.d', object(1), object(1)],
    ['when one inherits it', 'constructor', {}, {}],
    ['when there is no path', '', 1, 2],
  ])('not %s', (_, path, one, other) => {
    expect(haveAlike(path, one, other)).toBe(false);
  });
});
