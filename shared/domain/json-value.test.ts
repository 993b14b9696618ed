import { describe, expect, it } from 'vitest';
import { fieldsOf, isList, isObject, listOf, textOf } from './json-value.ts';

describe('a JSON value', () => {
  it.each([
    [{}, 'object'],
    [{ a: null }, 'object'],
    [[], 'list'],
    [[{}], 'list'],
    [null, 'neither'],
    [undefined, 'neither'],
    ['{}', 'neither'],
    [0, 'neither'],
    [true, 'neither'],
  ] as const)('is an object, a list or neither: %j', (value, sort) => {
    expect([isObject(value), isList(value)]).toEqual([sort === 'object', sort === 'list']);
  });

  it('has no members, items or letters where it is of another sort', () => {
    const values = [{ a: 1 }, [1], 'a', 1, null, undefined];
    expect(values.map(fieldsOf)).toEqual([{ a: 1 }, {}, {}, {}, {}, {}]);
    expect(values.map(listOf)).toEqual([[], [1], [], [], [], []]);
    expect(values.map(textOf)).toEqual(['', '', 'a', '', '', '']);
  });
});
