import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import { compileSchema } from './compiled-schema.ts';
import type { Schema } from './schema.ts';
import { causeTexts, specimen } from './testing/specimen-answer.ts';
import { looseSchema, ratchetCases, strictSchema } from './testing/ratchet-specimen.ts';

const withSpec = (spec: Schema): Schema => ({ type: 'object', properties: { spec } });
const rule = (text: string) =>
  compileSchema(withSpec({ type: 'object', 'x-kubernetes-validations': [{ rule: text }] }));

describe('pruning', () => {
  const schema = compileSchema(
    withSpec({
      type: 'object',
      properties: {
        list: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
        kept: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    }),
  );

  it('answers the same reference when every field is known', () => {
    const object = specimen({ list: [{ a: 'x' }], kept: { b: { c: 1 } } });
    expect(schema.prune(object)).toEqual({ object, dropped: [] });
    expect(schema.prune(object).object).toBe(object);
  });

  it('names what it dropped and shares what it kept', () => {
    const object = specimen({ list: [{ a: 'x' }, { a: 'y', b: 1 }], kept: {}, extra: { c: 1 } });
    const { object: pruned, dropped } = schema.prune(object);
    expect(dropped).toEqual(['spec.extra', 'spec.list[1].b']);
    expect(pruned['spec']).toEqual({ list: [{ a: 'x' }, { a: 'y' }], kept: {} });
    expect((pruned['spec'] as JsonObject)['kept']).toBe((object['spec'] as JsonObject)['kept']);
  });

  it('leaves the metadata of the resource alone', () => {
    const object = { ...specimen({}), metadata: { name: 'x', labels: { a: 'b' } } };
    expect(schema.prune(object).object).toBe(object);
  });
});

describe('defaulting', () => {
  const schema = compileSchema(
    withSpec({ type: 'object', properties: { a: { type: 'string', default: 'x' } } }),
  );

  it('answers the same reference when nothing is missing', () => {
    const object = specimen({ a: 'y' });
    expect(schema.applyDefaults(object)).toBe(object);
  });

  it('leaves the object that it was given as it was', () => {
    const object = specimen({ a: null });
    expect(schema.applyDefaults(object)['spec']).toEqual({ a: 'x' });
    expect(object['spec']).toEqual({ a: null });
  });
});

describe('an update', () => {
  const strict = compileSchema(strictSchema);
  const loose = compileSchema(looseSchema);

  it.each(ratchetCases)('starts from what was once allowed: $rule', ({ before }) => {
    expect(before === undefined ? [] : loose.validate(specimen(before))).toEqual([]);
  });

  it('forgives a fault that was there before', () => {
    const before = specimen({ short: 'BAD' });
    const after = specimen({ short: 'BAD', free: 'x' });
    expect(strict.validate(after)).not.toEqual([]);
    expect(strict.validate(after, before)).toEqual([]);
  });

  it('reports a new fault beside an old one', () => {
    const before = specimen({ short: 'BAD' });
    const after = specimen({ short: 'BAD', map: { a: 'WORSE' } });
    expect(causeTexts(strict.validate(after, before))).toEqual([
      'FieldValueInvalid spec.map.a: Invalid value: "WORSE": spec.map.a in body should match \'^[a-z]*$\'',
    ]);
  });

  it('compares an item of a list-map with the item of its key', () => {
    const before = specimen({
      entries: [
        { name: 'a', counted: 5 },
        { name: 'b', counted: 1 },
      ],
    });
    const after = specimen({
      entries: [
        { name: 'b', counted: 2 },
        { name: 'a', counted: 4 },
      ],
    });
    expect(causeTexts(strict.validate(after, before))).toEqual([
      'FieldValueInvalid spec.entries[1].counted: Invalid value: 4: never falls',
    ]);
  });

  it('of the status alone says nothing about a spec that is wrong', () => {
    const schema = compileSchema({
      type: 'object',
      required: ['spec', 'other'],
      properties: {
        spec: { type: 'object' },
        status: { type: 'object', properties: { n: { type: 'integer', minimum: 1 } } },
      },
    });
    const before = specimen({});
    const wrong = { ...before, status: { n: 0 } };
    expect(causeTexts(schema.validate({ ...before, status: { n: 1 } }, before, 'status'))).toEqual(
      [],
    );
    expect(causeTexts(schema.validate(wrong, before, 'status'))).toEqual([
      'FieldValueInvalid status.n: Invalid value: 0: n in body should be greater than or equal to 1',
    ]);
    expect(schema.validate(wrong, before)).toHaveLength(2);
  });
});

describe('compiling refuses', () => {
  const refused = { code: 501, reason: 'NotImplemented' };

  it.each([
    'self.x.unheardOf()',
    'unheardOf(self)',
    'other == 1',
    'has(self)',
    'self.x.all(1, true)',
  ])('the rule %s', (text) => {
    expect(() => rule(text)).toThrow(expect.objectContaining(refused));
  });

  it.each(['self.x.matches("(?=a)")', 'self.x ==', 'authorizer.path("/").check("get").allowed()'])(
    'the rule %s, which the sandbox cannot evaluate',
    (text) => {
      expect(() => rule(text)).toThrow(expect.objectContaining(refused));
    },
  );
});

it.each(['(?=a)', '(a)\\1', 'a{1001}', '[[:unheard:]]', 'a**'])(
  'the pattern %s, which Go cannot read, is reported with each text',
  (pattern) => {
    const schema = compileSchema(withSpec({ type: 'string', pattern }));
    const [cause] = schema.validate({ ...specimen({}), spec: 'a' });
    expect(cause?.message).toContain(`${pattern}, but pattern is invalid: error parsing regexp: `);
  },
);
