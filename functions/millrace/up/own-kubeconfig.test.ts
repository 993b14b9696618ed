import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOwnCertificate } from '#shared/domain/own-certificate.ts';
import { loadConnection } from '#shared/kube/kube-config.ts';
import { writeKubeconfig } from './own-kubeconfig.ts';

const [cert, other] = [1, 2].map(() => createOwnCertificate(Date.now()).cert) as [string, string];

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'millrace-kubeconfig-'))));
afterEach(() => rm(folder, { recursive: true }));

test('writes a file that only its owner reads and that a client can use', async () => {
  const file = join(folder, 'new', 'kubeconfig');
  await writeKubeconfig(file, { url: 'https://127.0.0.1:7070', token: 'abc', cert });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const connection = await loadConnection({ kubeconfig: file });
  expect(connection.server).toBe('https://127.0.0.1:7070');
  await connection.close();
});

test('its own file gets the new address and the new token, for its owner alone', async () => {
  const file = join(folder, 'kubeconfig');
  await writeKubeconfig(file, { url: 'https://127.0.0.1:7070', token: 'abc', cert });
  await chmod(file, 0o644);
  await writeKubeconfig(file, { url: 'https://127.0.0.1:7071', token: 'new', cert: other });
  expect(await readFile(file, 'utf8')).toMatch(/7071[^]*token: new/);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test.each([
  ['another kubeconfig', 'apiVersion: v1\nkind: Config\nclusters: []\n'],
  ['something else', 'hello: [world'],
])('leaves %s as it is', async (_what, text) => {
  const file = join(folder, 'config');
  await writeFile(file, text);
  await expect(
    writeKubeconfig(file, { url: 'https://127.0.0.1:7070', token: 'abc', cert }),
  ).rejects.toThrow(/stays unchanged/);
  expect(await readFile(file, 'utf8')).toBe(text);
});
