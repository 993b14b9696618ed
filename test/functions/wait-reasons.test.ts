/** Every reason in the code is in the list of waits: a new one needs a row there, or an entry that it is not a wait. */
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { otherReasons } from '../../deploy/waits/other-reasons.ts';
import { waits } from '../../deploy/waits/waits.ts';

const root = new URL('../../', import.meta.url);
const rooms = [
  'functions/{flow-advance,daemon-fanout,suspend-schedule}/decide.ts',
  'functions/{flow-advance,daemon-fanout,suspend-schedule}/decide/*.ts',
  'shared/{domain,parents,suspension}/*.ts',
  'shared/api/{annotation-faults,step-records}.ts',
];

/**
 * The forms in which the code declares reasons: a member, a constant, a choice of two, a member of a union, or an entry
 * in the words of a kind.
 */
const declarations = [
  /\breason(?: =|:) '([A-Z]\w+)'/g,
  /\breason(?: =|:)[^;\n]*\? '([A-Z]\w+)'/g,
  /\breason(?: =|:)[^;\n]*: '([A-Z]\w+)'/g,
  /^(?:export )?const \w+ = '([A-Z][A-Za-z]+)'(?: as const)?;/gm,
  /^ {4}\| '([A-Z]\w+)'/gm,
  /^ {2}(?:complete|partFailed|noneFailed): '([A-Z]\w+)'/gm,
];
const union = /type HoldReason = ([^;]*);/g;

function declaredIn(text: string): readonly string[] {
  const single = declarations.flatMap((each) => [...text.matchAll(each)].flatMap(([, one]) => one));
  const held = [...text.matchAll(union)].flatMap(([, all = '']) => all.match(/[A-Z]\w+/g) ?? []);
  return [...single, ...held].filter((reason) => reason !== undefined);
}

const declared = new Set(
  globSync(rooms, { cwd: root, exclude: ['**/*.test.ts'] }).flatMap((file) =>
    declaredIn(readFileSync(new URL(file, root), 'utf8')),
  ),
);
const listed = new Set(waits.map(({ reason }) => reason));
const others = Object.values(otherReasons).flat();

it('every reason that a decision can give is a wait of the list, or is said to be none', () => {
  expect([...declared].filter((reason) => !listed.has(reason) && !others.includes(reason))).toEqual(
    [],
  );
});

it('what is said to be no wait is in the code, is said once, and is in no row', () => {
  expect(others.filter((reason) => !declared.has(reason))).toEqual([]);
  expect(others.filter((reason) => listed.has(reason))).toEqual([]);
  expect(new Set(others).size).toBe(others.length);
});

it('finds reasons however they are declared', () => {
  const code = `const x = { reason: 'First' };\nconst reason = isLate ? 'Second' : 'Third';\nexport const fourth = 'Fourth';\n    | 'Fifth'`;
  expect([...declaredIn(code)].sort()).toEqual(['Fifth', 'First', 'Fourth', 'Second', 'Third']);
});
