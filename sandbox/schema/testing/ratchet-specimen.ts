/** Objects that were stored before their schema became stricter, and updates of them. */
import type { JsonObject } from '#shared/domain/objects.ts';
import type { Schema } from '../schema.ts';

const text: Schema = { type: 'string' };

function schemaWith(short: Schema, extra: Schema, root: Schema): Schema {
  return {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        ...root,
        properties: {
          free: text,
          short,
          list: { type: 'array', maxItems: 5, items: short },
          entries: {
            type: 'array',
            maxItems: 5,
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['name'],
            items: {
              type: 'object',
              required: ['name'],
              properties: {
                name: { type: 'string', maxLength: 9 },
                short,
                other: text,
                counted: extra,
              },
            },
          },
          map: { type: 'object', maxProperties: 5, additionalProperties: short },
          ruled: { type: 'object', properties: { a: short, b: text, counted: extra } },
          kept: {
            type: 'object',
            'x-kubernetes-preserve-unknown-fields': true,
            properties: { short },
          },
          counter: extra,
        },
      },
    },
  };
}

/** The schema under which the objects were stored. */
export const looseSchema = schemaWith({ type: 'string', maxLength: 9 }, { type: 'integer' }, {});

export const strictSchema = schemaWith(
  {
    type: 'string',
    maxLength: 9,
    pattern: '^[a-z]*$',
    'x-kubernetes-validations': [{ rule: "self != 'never'", message: 'not never' }],
  },
  {
    type: 'integer',
    'x-kubernetes-validations': [
      { rule: 'self >= oldSelf', message: 'never falls' },
      {
        rule: 'oldSelf.hasValue() || self < 10',
        optionalOldSelf: true,
        message: 'starts below 10',
      },
    ],
  },
  { 'x-kubernetes-validations': [{ rule: "!has(self.free) || self.free != 'veto'" }] },
);

export interface RatchetCase {
  readonly rule: string;
  /** Absent: the object is created under the strict schema. */
  readonly before?: JsonObject;
  readonly after: JsonObject;
}

const bad = 'BAD';

export const ratchetCases: readonly RatchetCase[] = [
  { rule: 'an unchanged fault', before: { short: bad }, after: { short: bad, free: 'x' } },
  { rule: 'a changed fault', before: { short: bad }, after: { short: 'WORSE' } },
  { rule: 'a new fault', before: {}, after: { short: bad } },
  {
    rule: 'a fault in an unchanged list',
    before: { list: [bad] },
    after: { list: [bad], free: 'x' },
  },
  { rule: 'a fault in a changed list', before: { list: [bad] }, after: { list: [bad, 'x'] } },
  {
    rule: 'a fault in an unchanged entry of a changed list-map',
    before: { entries: [{ name: 'a', short: bad }] },
    after: { entries: [{ name: 'b' }, { name: 'a', short: bad }] },
  },
  {
    rule: 'an unchanged fault in a changed entry of a list-map',
    before: { entries: [{ name: 'a', short: bad }] },
    after: { entries: [{ name: 'a', short: bad, other: 'x' }] },
  },
  {
    rule: 'a fault in an entry of another key',
    before: { entries: [{ name: 'a', short: bad }] },
    after: { entries: [{ name: 'b', short: bad }] },
  },
  { rule: 'a fault of a map', before: { map: { a: bad } }, after: { map: { a: bad, b: 'x' } } },
  { rule: 'a fault under another key', before: { map: { a: bad } }, after: { map: { b: bad } } },
  {
    rule: 'an unchanged fault beside what no schema knows',
    before: { kept: { short: bad, x: 1 } },
    after: { kept: { short: bad, x: 2 } },
  },
  {
    rule: 'an unchanged broken rule',
    before: { short: 'never' },
    after: { short: 'never', free: 'x' },
  },
  { rule: 'a newly broken rule', before: { short: 'fine' }, after: { short: 'never' } },
  {
    rule: 'a broken rule in an unchanged list',
    before: { list: ['never'] },
    after: { list: ['never'], free: 'x' },
  },
  {
    rule: 'a broken rule in a changed list',
    before: { list: ['never'] },
    after: { list: ['never', 'x'] },
  },
  {
    rule: 'a broken rule in a list-map',
    before: { entries: [{ name: 'a', short: 'never' }] },
    after: {
      entries: [
        { name: 'a', short: 'never', other: 'x' },
        { name: 'b', short: 'never' },
      ],
    },
  },
  {
    rule: 'a broken rule of the whole',
    before: { free: 'veto' },
    after: { free: 'veto', short: 'x' },
  },
  { rule: 'a counter that rises', before: { counter: 1 }, after: { counter: 2 } },
  { rule: 'a counter that falls', before: { counter: 2 }, after: { counter: 1 } },
  { rule: 'a counter that goes', before: { counter: 2 }, after: {} },
  { rule: 'a counter that comes too high', before: {}, after: { counter: 12 } },
  { rule: 'a counter that comes', before: {}, after: { counter: 2 } },
  { rule: 'a counter that was too high', before: { counter: 12 }, after: { counter: 13 } },
  { rule: 'a new object with a high counter', after: { counter: 12 } },
  { rule: 'a new object with a low counter', after: { counter: 1 } },
  {
    rule: 'counters of a list-map, by key',
    before: {
      entries: [
        { name: 'a', counted: 5 },
        { name: 'b', counted: 1 },
      ],
    },
    after: {
      entries: [
        { name: 'b', counted: 2 },
        { name: 'a', counted: 4 },
        { name: 'c', counted: 20 },
      ],
    },
  },
  {
    rule: 'a counter inside an object',
    before: { ruled: { counted: 5 } },
    after: { ruled: { counted: 4, b: 'x' } },
  },
];
