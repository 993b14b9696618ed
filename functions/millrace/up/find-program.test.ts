import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findProgram } from './find-program.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'millrace-path-'))));
afterEach(() => rm(folder, { recursive: true }));

test('finds the first executable on the path, and nothing that is not executable', async () => {
  const file = join(folder, 'kubectl');
  await writeFile(file, '');
  await chmod(file, 0o644);
  const path = ['/nowhere', folder].join(delimiter);
  expect(await findProgram('kubectl', path)).toBeUndefined();
  await chmod(file, 0o755);
  expect(await findProgram('kubectl', path)).toBe(file);
});

test('finds nothing without a path', async () => {
  expect(await findProgram('kubectl', undefined)).toBeUndefined();
});
