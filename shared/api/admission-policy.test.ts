import Type from 'typebox';
import { expect, it } from 'vitest';
import { admissionPolicy } from './admission-policy.ts';
import { jobFlowKind } from './job-flow.ts';

interface Policy {
  readonly spec: {
    readonly validations: readonly {
      readonly expression: string;
      readonly messageExpression?: string;
    }[];
  };
}

const [policy] = admissionPolicy(jobFlowKind) as unknown as readonly Policy[];
const steps = 'object.spec.flows';

it('judges the steps of a flow by no macro whose cost grows with the square of their number', () => {
  const expressions = policy!.spec.validations.map(({ expression }) => expression);
  expect(expressions.filter((text) => text.includes(steps)).length).toBeGreaterThan(10);
  const slow = /object\.spec\.flows\.(?:all|exists|exists_one)\(/;
  expect(expressions.filter((text) => slow.test(text))).toEqual([]);
});

it('searches the steps for the words of a message only where they are few', () => {
  const messages = policy!.spec.validations.flatMap(
    ({ messageExpression = '' }) => messageExpression,
  );
  const searching = messages.filter(
    (text) => text.includes(`${steps}.map(`) && !text.includes('oldObject'),
  );
  expect(searching.length).toBeGreaterThan(5);
  for (const text of searching) expect(text).toMatch(/size\(object\.spec\.flows\) <= \d+ \?/);
});

it('leaves the word self of a message as it is written', () => {
  const rule = {
    rule: 'self != "self"',
    message: 'self',
    messageExpression: '"name yourself, not self: " + self',
  };
  const owner = Type.Object({ owner: Type.String({ 'x-millrace-rules': [rule] }) });
  const [own] = admissionPolicy({
    ...jobFlowKind,
    spec: owner,
    rules: [],
  }) as unknown as readonly Policy[];
  expect(own!.spec.validations[0]).toMatchObject({
    expression: expect.stringContaining('object.spec.owner != "self"') as unknown,
    messageExpression: '"spec.owner: " + ("name yourself, not self: " + object.spec.owner)',
  });
});
