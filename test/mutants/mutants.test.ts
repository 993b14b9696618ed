import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allMutants } from './list/all-mutants.ts';
import { keptScenarioMutants } from './list/kept-scenarios.ts';
import { mutated } from './mutant.ts';

const root = join(import.meta.dirname, '../..');

describe('the list of mutants', () => {
  it.each(allMutants)('finds its text exactly once: $name', (mutant) => {
    const source = readFileSync(join(root, mutant.file), 'utf8');
    expect(mutated(source, mutant)).not.toBe(source);
  });

  it.each(allMutants)('names tests that exist: $name', ({ tests }) => {
    expect(tests).not.toEqual([]);
    expect(tests.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  it('has a name of its own for every mutant', () => {
    expect(new Set(allMutants.map(({ name }) => name)).size).toBe(allMutants.length);
  });
});

describe('the mutants of the kept scenarios', () => {
  it.each(keptScenarioMutants)('find their text exactly once: $rule', ({ rule, ...change }) => {
    const source = readFileSync(join(root, change.file), 'utf8');
    expect(mutated(source, { name: rule, ...change })).not.toBe(source);
  });
});

describe('a mutant whose text moved', () => {
  const mutant = { name: 'm', file: 'a.ts', find: 'x', replacement: 'y', tests: [] };

  it.each([
    ['gone', 'abc', 'is not in a.ts'],
    ['ambiguous', 'x and x', 'is 2 times in a.ts'],
  ])('is refused by name: %s', (_, source, why) => {
    expect(() => mutated(source, mutant)).toThrow(`mend the mutant "m": its text ${why}`);
  });
});
