import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

let checkout: string;

/** Replaces npm: records its arguments instead of installing. */
const npm = `
import { writeFileSync } from 'node:fs';
writeFileSync(new URL('npm-arguments.json', import.meta.url), JSON.stringify(process.argv.slice(2)));
process.exit(Number(process.env.NPM_EXIT ?? 0));
`;

beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'millrace-checkout-'));
  await mkdir(join(checkout, 'node_modules/.bin'), { recursive: true });
  await symlink(process.execPath, join(checkout, 'node_modules/.bin/node'));
  await mkdir(join(checkout, 'test/support'), { recursive: true });
  const script = 'test/support/bootstrap.mjs';
  await copyFile(join(import.meta.dirname, 'bootstrap.mjs'), join(checkout, script));
  await place('npm.mjs', npm);
  await lock('package-lock.json', { tool: { version: '1.0.0' }, other: optional });
  await lock('node_modules/.package-lock.json', { tool: { version: '1.0.0' } });
});
afterEach(() => rm(checkout, { recursive: true }));

const optional = { version: '2.0.0', optional: true };

function place(file: string, content: string): Promise<void> {
  return writeFile(join(checkout, file), content);
}

function lock(file: string, packages: object): Promise<void> {
  return place(file, JSON.stringify({ packages: { '': { name: 'root' }, ...packages } }));
}

async function bootstrap(args: readonly string[], environment = {}) {
  const script = join(checkout, 'test/support/bootstrap.mjs');
  const env = { ...process.env, npm_execpath: join(checkout, 'npm.mjs'), ...environment };
  const child = spawn(process.execPath, [script, ...args], { env });
  let stdout = '';
  child.stdout.on('data', (text: Buffer) => (stdout += text.toString('utf8')));
  child.stderr.resume();
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout };
}

const npmArguments = () =>
  readFile(join(checkout, 'npm-arguments.json'), 'utf8').then(
    (text) => JSON.parse(text) as string[],
    () => undefined,
  );

it('hands arguments, exit code and the PATH of the packages to a TypeScript entry', async () => {
  await place(
    'entry.ts',
    `const said: string[] = [...process.argv.slice(2), process.env['PATH']!.split(':')[0]!];
     console.log(JSON.stringify(said)); process.exitCode = 7;`,
  );
  const { code, stdout } = await bootstrap(['entry.ts', 'one', 'two']);
  expect(JSON.parse(stdout)).toEqual(['one', 'two', join(checkout, 'node_modules/.bin')]);
  expect(code).toBe(7);
});

it('reports a signal that ended the entry as a shell does', async () => {
  await place('entry.ts', `process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000);`);
  expect((await bootstrap(['entry.ts'])).code).toBe(137);
});

it('installs nothing when the packages are those of the lock file', async () => {
  expect((await bootstrap([])).code).toBe(0);
  expect(await npmArguments()).toBeUndefined();
});

it.each([
  ['there are none', () => rm(join(checkout, 'node_modules/.package-lock.json'))],
  ['one is missing', () => lock('node_modules/.package-lock.json', {})],
  [
    'one has another version',
    () => lock('node_modules/.package-lock.json', { tool: { version: '0.9.0' } }),
  ],
])('installs the packages when %s', async (_name, arrange) => {
  await arrange();
  expect((await bootstrap([])).code).toBe(0);
  expect(await npmArguments()).toEqual(['ci', '--include=dev', '--include=optional']);
});

it('runs nothing when the installation failed', async () => {
  await lock('node_modules/.package-lock.json', {});
  await place('entry.ts', `console.log('ran');`);
  const { code, stdout } = await bootstrap(['entry.ts'], { NPM_EXIT: '1' });
  expect(code).toBe(1);
  expect(stdout).toBe('');
});
