import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { errorTable } from '#shared/domain/errors.ts';

const root = join(import.meta.dirname, '../..');

it('every error that is documented is in use', () => {
  const paths = globSync('{shared,functions}/**/*.ts', {
    cwd: root,
    exclude: (path) => path.endsWith('.test.ts') || path.endsWith('shared/domain/errors.ts'),
  });
  const code = paths.map((path) => readFileSync(join(root, path), 'utf8')).join('\n');
  const used = new Set([...code.matchAll(/'(MR_[A-Z_]+)'/g)].map(([, name]) => name));
  expect(Object.keys(errorTable).filter((name) => !used.has(name))).toEqual([]);
});
