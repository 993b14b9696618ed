import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lint } from './lint.ts';

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'millrace-lint-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

it.each([
  ['has other kinds alone', 'kind: ConfigMap\nmetadata: {name: x}\n', 'ConfigMap/x'],
  ['is empty', '---\n', 'only empty documents'],
])('says so where a file %s', async (_, text, instead) => {
  const file = join(folder, 'a.yaml');
  await writeFile(file, text);
  await expect(lint([file], { output: 'text' }, () => undefined)).rejects.toMatchObject({
    exitCode: 5,
    message: `no object that lint judges is in ${file}; found ${instead}`,
  });
});
