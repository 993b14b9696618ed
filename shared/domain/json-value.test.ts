import { describe, expect, it } from 'vitest';
import { isList, isObject } from './json-value.ts';

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
});
