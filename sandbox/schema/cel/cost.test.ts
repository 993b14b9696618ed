import { describe, expect, it } from 'vitest';
import { compileSchema } from '../compiled-schema.ts';
import type { Schema } from '../schema.ts';
import { costLimits, costSchema, costSubject } from '../testing/cost-specimen.ts';
import { specimen } from '../testing/specimen-answer.ts';

function messagesOf(rule: string, spec: Parameters<typeof specimen>[0]): readonly string[] {
  const schema: Schema = {
    type: 'object',
    properties: { spec: { ...costSchema('true', 1e6), 'x-kubernetes-validations': [{ rule }] } },
  };
  return compileSchema(schema)
    .validate(specimen(spec))
    .map(({ message }) => message);
}

describe('a rule', () => {
  it.each(Object.entries(costLimits))('%s for each pair of %i is the most', (expression, limit) => {
    const rule = `self.l.all(x, self.l.all(y, ${expression}))`;
    expect(messagesOf(rule, costSubject(limit))).toEqual([]);
    expect(messagesOf(rule, costSubject(limit + 1))).toEqual([
      expect.stringContaining("'operation cancelled: actual cost limit exceeded': no further"),
    ]);
  });

  it.each([
    'self.l.all(a, self.l.all(b, self.l.all(c, self.l.all(d, a + b + c + d >= 0))))',
    'self.l.map(a, self.l.map(b, self.l.map(c, a + b + c))).size() > 0',
    'self.l.all(a, true) || self.l.all(b, self.l.exists(c, self.l.exists(d, d < 0)))',
    `optional.of('ab')${'.optMap(t, t + t)'.repeat(40)}.hasValue()`,
    `optional.of([1])${'.optMap(t, t + t)'.repeat(40)}.hasValue()`,
    `optional.of('aa')${".optMap(t, t.replace('a', t))".repeat(8)}.hasValue()`,
  ])('%s is ended, whatever it nests or builds', (rule) => {
    expect(messagesOf(rule, costSubject(2_000)).join()).toMatch(
      /^(|.*operation cancelled: actual cost limit exceeded.*)$/,
    );
  });
});

it('the rules about one object share a budget', () => {
  const item = {
    type: 'string',
    'x-kubernetes-validations': [{ rule: "self.matches('^(a+)+$')" }],
  };
  const schema = compileSchema({
    type: 'object',
    properties: { spec: { type: 'object', properties: { t: { type: 'array', items: item } } } },
  } as Schema);
  const t = Array.from({ length: 100 }, () => 'a'.repeat(600_000));
  expect(schema.validate(specimen({ t })).at(-1)?.message).toContain(
    'validation failed due to running out of cost budget, no further validation rules will be run',
  );
});
