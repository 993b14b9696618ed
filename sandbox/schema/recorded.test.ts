/**
 * The sandbox judges the specimens as a Kubernetes 1.36 API server did.
 * test/conformance/schema.test.ts asks a live one.
 */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import { compileSchema } from './compiled-schema.ts';
import { expressionSchema, expressionSubject, expressions } from './testing/expression-specimen.ts';
import { keywordCases, keywordSchema } from './testing/keyword-specimen.ts';
import recorded from './testing/recorded-answers.json' with { type: 'json' };
import { answerOf, specimen } from './testing/specimen-answer.ts';

describe('a rule', () => {
  const causes = compileSchema(expressionSchema(expressions)).validate(specimen(expressionSubject));
  const messages = new Map(expressions.map((expression, at) => [expression, causes[at]?.message]));
  const answers = recorded.expressions as Readonly<Record<string, string>>;

  it.each(expressions)('sees in %s what the API server sees', (expression) => {
    const said = messages.get(expression)?.replace(/rule \d+$|(?<=: )\d+: /, '');
    expect(said).toBe(answers[expression]);
  });
});

describe('a schema', () => {
  const schema = compileSchema(keywordSchema);
  const answers = recorded.keywords as Readonly<Record<string, JsonObject>>;

  it.each(keywordCases)('answers to %s as the API server does', (rule, spec) => {
    expect(answerOf(schema, specimen(spec))).toEqual(answers[rule]);
  });
});
