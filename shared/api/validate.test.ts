import { describe, expect, it } from 'vitest';
import { judge } from './testing/judge.ts';
import { beyondCrdCases, verdictTable } from './testing/verdict-table.ts';
import { flow, step, withStep, type Loose } from './testing/verdict-case.ts';
import { validateJobFlow, validateJobFlowAsCrd, validateJobTemplate } from './validate.ts';

const pathsOf = (object: Loose) => {
  const verdict = judge(object);
  return verdict.ok ? [] : verdict.faults.map(({ path }) => path);
};
const messagesOf = (object: Loose) => {
  const verdict = judge(object);
  return verdict.ok ? [] : verdict.faults.map(({ message }) => message);
};

describe('our validator', () => {
  it.each(verdictTable.filter(({ faultAt }) => faultAt === undefined))(
    'accepts $rule',
    ({ object }) => expect(judge(object)).toMatchObject({ ok: true }),
  );

  it.each([...verdictTable, ...beyondCrdCases].filter(({ faultAt }) => faultAt !== undefined))(
    'refuses $rule at $faultAt',
    ({ object, faultAt }) => expect(pathsOf(object)).toContain(faultAt),
  );

  it.each(beyondCrdCases.filter(({ object }) => object['kind'] === 'JobFlow'))(
    'knows that the CRD does not see $rule',
    ({ object }) => expect(validateJobFlowAsCrd(object)).toMatchObject({ ok: true }),
  );

  it.each([undefined, null, 'text', 7, [], {}])('refuses %j, which is no object of ours', (input) =>
    expect(validateJobFlow(input).ok).toBe(false),
  );

  it('refuses another version and kind', () => {
    expect(pathsOf({ ...flow({ flows: [step('a')] }), apiVersion: 'api.practice.com/v2' })).toEqual(
      ['apiVersion'],
    );
    expect(validateJobTemplate(flow({ flows: [step('a')] })).ok).toBe(false);
  });

  it('refuses an object without a name', () => {
    expect(pathsOf(flow({ flows: [step('a')] }, {}))).toEqual(['metadata.name']);
  });

  it('lists every fault at once', () => {
    const object = flow({
      suspend: 'yes',
      failurePolicy: 'Never',
      flows: Array.from({ length: 20 }, () => ({ name: 7 })),
    });
    expect(pathsOf(object)).toHaveLength(22);
  });
});

describe('a fault', () => {
  it('names the cycle as a path', () => {
    const object = flow({
      flows: [
        step('a', { dependencies: ['b'] }),
        step('b', { dependencies: ['c'] }),
        step('c', { dependencies: ['a'] }),
      ],
    });
    expect(messagesOf(object)).toEqual(['the dependencies form a cycle: a -> b -> c -> a']);
  });

  it('suggests the step that was probably meant', () => {
    const object = flow({ flows: [step('build'), step('test', { dependencies: ['biuld'] })] });
    expect(messagesOf(object)).toEqual([
      'step "test" depends on "biuld", which is no step of this flow; did you mean "build"?',
    ]);
  });

  it('does not suggest that a step depends on itself', () => {
    const object = flow({ flows: [step('a', { dependencies: ['x'] })] });
    expect(messagesOf(object)).toEqual(['step "a" depends on "x", which is no step of this flow']);
  });

  it('suggests the field that was probably meant', () => {
    expect(messagesOf(withStep({ dependecies: [] }))).toEqual([
      'unknown field, did you mean dependencies?',
    ]);
  });

  it('names the label whose key or value is wrong', () => {
    const withLabels = (labels: Loose) => flow({ flows: [step('a')], globalParams: { labels } });
    expect(messagesOf(withLabels({ 'my team': 'x' }))).toEqual([
      '"my team" is not a qualified name such as example.com/name',
    ]);
    const [message] = messagesOf(withLabels({ good: 'x', team: 'search and find' }));
    expect(message).toMatch(/^label "team": a value has at most 63 .* found "search and find"$/);
  });

  it('names the value found and the values allowed', () => {
    expect(messagesOf(withStep({ startOn: 'Ready' }))).toEqual([
      '"Ready" is none of Complete, SuccessCriteriaMet',
    ]);
  });

  it('names both lengths when a Job name would be too long', () => {
    const object = flow({ flows: [step('s'.repeat(23))] }, { name: 'f'.repeat(40) });
    expect(messagesOf(object)[0]).toMatch(/40 characters.*23 characters/);
  });
});
