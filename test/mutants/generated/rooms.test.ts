import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { filesOf, rooms } from './rooms.ts';

const root = join(import.meta.dirname, '../../..');
const patterns = rooms.flatMap(({ files }) => files).flatMap(alternativesOf);

/** `{a,b}.ts` as `a.ts` and `b.ts`: a name that finds nothing must not hide behind one that does. */
function alternativesOf(pattern: string): readonly string[] {
  const [whole, names = ''] = /\{([^}]*)\}/.exec(pattern) ?? [];
  if (whole === undefined) return [pattern];
  return names.split(',').flatMap((name) => alternativesOf(pattern.replace(whole, name)));
}

it.each(patterns)('finds code to mutate at %s', (pattern) => {
  expect(globSync(pattern, { cwd: root })).not.toEqual([]);
});

const drawn = new Set(rooms.flatMap((room) => filesOf(root, room)));

it.each(globSync('functions/*/{decide,observe,subscription}.ts', { cwd: root }))(
  'draws from %s',
  (file) => {
    expect(drawn).toContain(file);
  },
);
