import { Linter } from 'eslint';
import tseslint from 'typescript-eslint';
import { expect, it } from 'vitest';
import { ownMembersRule } from './own-members-rule.ts';

const linter = new Linter();
const around = (text: string): string =>
  `export {}; declare const open: Record<string, unknown>; declare const name: string; declare const list: number[];
  declare const closed: { a: number; b: number }; declare const known: 'a' | 'b'; declare const at: number;
  ${text};`;
const faultsIn = (text: string): number => {
  const messages = linter.verify(
    around(text),
    {
      languageOptions: {
        parser: tseslint.parser,
        parserOptions: {
          projectService: { allowDefaultProject: ['specimen.ts'] },
          tsconfigRootDir: import.meta.dirname,
        },
      },
      plugins: { millrace: { rules: { 'own-members': ownMembersRule as never } } },
      rules: { 'millrace/own-members': 'error' },
      files: ['**/*.ts'],
    },
    { filename: `${import.meta.dirname}/specimen.ts` },
  );
  expect(messages.filter(({ fatal }) => fatal === true)).toEqual([]);
  return messages.length;
};

it.each([
  'open[name]',
  'open[`${name}/x`]',
  'open[name] = 1',
  'name in open',
  'const { [name]: found } = open',
  'for (const key of Object.keys(open)) open[key] = 1',
  'for (const key in open) closed[key as "a"] = Number((open as Record<string, unknown>)[name])',
])('an inherited member may be met by: %s', (text) => {
  expect(faultsIn(text)).toBe(1);
});

it.each([
  'open["name"]',
  'closed[known]',
  'open[known]',
  'list[at]',
  '"a" in open',
  'Object.hasOwn(open, name) ? open[name] : undefined',
  'const isThere = Object.hasOwn(open, name) && open[name] !== undefined',
  'for (const key of Object.keys(open)) list.push(Number(open[key]))',
  'for (const key in open) list.push(Number(open[key]))',
  'Object.keys(open).sort().map((key) => open[key])',
  '["a", "b"].map((key) => open[key])',
])('no inherited member is met by: %s', (text) => {
  expect(faultsIn(text)).toBe(0);
});
