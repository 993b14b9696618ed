import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { importedSources } from './imported-sources.ts';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'millrace-sources-'));
  await place('package.json', JSON.stringify({ imports: { '#a/*': './a/*', '#b': './b/all.ts' } }));
});
afterEach(() => rm(root, { recursive: true }));

async function place(path: string, text: string): Promise<void> {
  await mkdir(join(root, dirname(path)), { recursive: true });
  await writeFile(join(root, path), text);
}

const sourcesOf = (...entries: readonly string[]) => importedSources({ root, entries });

it('finds files that are imported by path, by alias, at run time, for effect and again', async () => {
  await place('a/one.ts', "import { two } from './two.ts';\nimport all from '#b';\ntwo(all);\n");
  await place(
    'a/two.ts',
    "export { three as two } from '#a/deep/three.ts';\nimport './data.json';",
  );
  await place('a/deep/three.ts', "export const three = () => import('../late.ts');\n");
  await place('a/late.ts', "import type { One } from './one.ts';\nexport type Late = One;\n");
  await place('a/data.json', '{}');
  await place('b/all.ts', "import 'undici';\nimport '../a/one.ts';\nexport default 1;\n");
  expect(sourcesOf('a/one.ts')).toEqual([
    ...['a/data.json', 'a/deep/three.ts', 'a/late.ts', 'a/one.ts', 'a/two.ts', 'b/all.ts'],
  ]);
});

it('leaves out what only types are taken from', async () => {
  await place('a/one.ts', "import type { Two } from './two.ts';\nexport type One = Two;\n");
  await place('a/two.ts', 'export type Two = 2;\n');
  expect(sourcesOf('a/one.ts')).toEqual(['a/one.ts']);
});

it('stops behind a file that is not to be followed', async () => {
  await place('a/one.ts', "import './two.ts';\n");
  await place('a/two.ts', "import './three.ts';\n");
  await place('a/three.ts', '');
  const follows = (path: string) => path !== 'a/two.ts';
  expect(importedSources({ root, entries: ['a/one.ts'], follows })).toEqual([
    'a/one.ts',
    'a/two.ts',
  ]);
});

it('refuses an alias that package.json does not have', async () => {
  await place('a/one.ts', "import '#c/two.ts';\n");
  expect(() => sourcesOf('a/one.ts')).toThrow('a/one.ts imports #c/two.ts');
});
