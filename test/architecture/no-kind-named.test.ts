/** A new kind is a folder and one line: what feeds and runs functions knows none of them. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { kinds } from '#functions/list.ts';
import { resources } from '#shared/domain/resources.ts';

const root = join(import.meta.dirname, '../..');
const rooms = ['functions/{bridge,dispatcher}/**/*.ts', 'shared/{runtime,subscription}/**/*.ts'];
/** The cluster's identity, the bridge's election, and what every function may tell. */
const ofTheHouse = new Set(['Namespace', 'Lease', 'Event']);

const names = [...Object.keys(resources), ...kinds.map(({ resource }) => resource.kind)].filter(
  (name) => !ofTheHouse.has(name),
);
const named = new RegExp(`resources\\.(${names.join('|')})\\b|['"](${names.join('|')})['"]`);

function sources(): readonly string[] {
  return rooms
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .filter((file) => !file.endsWith('.test.ts') && !file.includes('/testing/'));
}

it('finds the code of the house', () => {
  expect(sources().length).toBeGreaterThan(50);
  expect(named.test("if (kind === 'JobFlow')")).toBe(true);
  expect(named.test('watch(resources.Node)')).toBe(true);
});

it('bridge, dispatcher and runtime name no kind', () => {
  const found = sources().flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (named.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
  expect(found).toEqual([]);
});
