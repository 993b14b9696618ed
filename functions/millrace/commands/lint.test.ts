import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { lint } from './lint.ts';

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'millrace-lint-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

it.each([
  ['has other kinds alone', 'kind: ConfigMap\nmetadata: {name: x}\n', 'ConfigMap/x'],
  ['has an object without a kind', 'metadata: {name: x}\n', 'an object without a kind'],
  ['is empty', '---\n', 'only empty documents'],
])('says so where a file %s', async (_, text, instead) => {
  const file = join(folder, 'a.yaml');
  await writeFile(file, text);
  await expect(lint([file], { output: 'text' }, () => undefined)).rejects.toMatchObject({
    exitCode: 5,
    message: `no object that lint judges is in ${file}; found ${instead}`,
  });
});

it('says so where a folder has no manifest', async () => {
  const empty = await mkdtemp(join(folder, 'empty-'));
  await expect(lint([empty], { output: 'text' }, () => undefined)).rejects.toMatchObject({
    exitCode: 5,
    message: `no object that lint judges is in ${empty}; found no .yaml, .yml or .json file`,
  });
});

it('says nothing of its own about the braces of a Helm template', async () => {
  const warned = vi.spyOn(process, 'emitWarning');
  const file = join(folder, 'template.yaml');
  await writeFile(file, 'kind: ConfigMap\nmetadata: {name: x}\ndata: {{ .Values.data }}\n');
  await expect(lint([file], { output: 'text' }, () => undefined)).rejects.toMatchObject({
    exitCode: 5,
  });
  expect(warned).not.toHaveBeenCalled();
});
