import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { deadReferences } from './links.ts';

const root = join(import.meta.dirname, '../..');

it('the pages refer only to what is there', () => {
  const exclude = (path: string) => /(^|\/)(node_modules|dist)$/.test(path);
  const paths = globSync('**/*.md', { cwd: root, exclude });
  expect(paths).toContain('README.md');
  const pages = paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
  expect(deadReferences(pages, (path) => existsSync(join(root, path)))).toEqual([]);
});

it('a missing link, anchor or named file is reported', () => {
  const text = [
    '# What it is, in `short`',
    '[a](other.md) [b](../shared/x.ts) [c](#what-it-is-in-short) [d](https://example.com/x)',
    '[e](missing.md) [f](other.md#nowhere) [g](#nowhere) `shared/x.ts` `shared/y.ts`',
  ].join('\n');
  const present = new Set(['docs/page.md', 'docs/other.md', 'shared/x.ts']);
  const pages = [
    { path: 'docs/page.md', text },
    { path: 'docs/other.md', text: '# Other' },
  ];
  expect(deadReferences(pages, (path) => present.has(path))).toEqual([
    'docs/page.md: missing.md',
    'docs/page.md: other.md#nowhere',
    'docs/page.md: #nowhere',
    'docs/page.md: shared/y.ts',
  ]);
});
