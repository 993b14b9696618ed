import { describe, expect, it } from 'vitest';
import type { Schema } from '../schema/schema.ts';
import { withoutEmpty } from './omit-empty.ts';

const text: Schema = { type: 'string' };
const map: Schema = { type: 'object', additionalProperties: text };
const schema: Schema = {
  type: 'object',
  required: ['needed'],
  properties: {
    map,
    list: { type: 'array', items: { type: 'object', properties: { map } } },
    needed: { type: 'array', items: text },
    struct: { type: 'object', properties: { a: text } },
  },
};

describe('empty maps and lists of a built-in kind', () => {
  it('are left out, at any depth', () => {
    expect(withoutEmpty({ map: {}, list: [{ map: {} }] }, schema)).toEqual({ list: [{}] });
    expect(withoutEmpty({ list: [] }, schema)).toEqual({});
  });

  it('stay where the field is required', () => {
    expect(withoutEmpty({ needed: [] }, schema)).toEqual({ needed: [] });
  });

  it('are not taken for structs without a field set', () => {
    expect(withoutEmpty({ struct: {} }, schema)).toEqual({ struct: {} });
  });

  it('cost no copy when there are none', () => {
    const object = { map: { a: 'b' }, list: [{ map: { a: 'b' } }], struct: { a: 'b' } };
    expect(withoutEmpty(object, schema)).toBe(object);
  });
});
