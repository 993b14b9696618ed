import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  removeStaleRuns,
  removeState,
  runningUps,
  stateRoot,
  upFolder,
  writeState,
} from './state-folder.ts';

let root: string;
beforeEach(async () => (root = await mkdtemp(join(tmpdir(), 'millrace-state-'))));
afterEach(() => rm(root, { recursive: true }));

const state = (pid: number, port: number) => ({
  pid,
  server: `http://127.0.0.1:${port}`,
  kubeconfig: join(upFolder(root, port), 'kubeconfig'),
  control: 'http://127.0.0.1:1',
});

test('an up is found while its process lives', async () => {
  await writeState(upFolder(root, 7070), state(process.pid, 7070));
  expect(await runningUps(root)).toEqual([state(process.pid, 7070)]);
  await removeState(upFolder(root, 7070));
  expect(await runningUps(root)).toEqual([]);
});

test('what a killed one left behind is passed over', async () => {
  // The highest pid of Linux is below 2^22.
  await writeState(upFolder(root, 7070), state(2 ** 22 + 1, 7070));
  expect(await runningUps(root)).toEqual([]);
});

test('a file that is half written is passed over', async () => {
  await writeState(upFolder(root, 7070), state(process.pid, 7070));
  await writeFile(join(upFolder(root, 7070), 'up.json'), '{"pid":');
  expect(await runningUps(root)).toEqual([]);
});

test('without any folder no `up` runs', async () => {
  expect(await runningUps(join(root, 'absent'))).toEqual([]);
});

test('follows the XDG base directories', () => {
  expect(stateRoot({ XDG_STATE_HOME: '/state' })).toBe('/state/millrace');
  expect(stateRoot({ XDG_STATE_HOME: 'relative' })).toMatch(/\/\.local\/state\/millrace$/);
  expect(stateRoot({})).toMatch(/\/\.local\/state\/millrace$/);
});

test('folders of runs whose process is gone are removed, those of the others stay', async () => {
  const gone = spawnSync(process.execPath, ['--version']).pid;
  const names = [`run-${gone}`, `run-${process.pid}`, 'up-7070', 'run-kept'];
  for (const name of names) await mkdir(join(root, name, 'pods'), { recursive: true });
  await removeStaleRuns(root);
  expect((await readdir(root)).sort()).toEqual(names.slice(1).sort());
});
