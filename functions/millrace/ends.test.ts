/** The command line ends in order if a start fails, or if the reader of its output is gone. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  cleanEnvironment,
  type CommandLine,
  commandLine,
  followed,
  program,
} from './testing/cli.ts';
import { outputFaults } from './testing/output-shape.ts';

/** Time limit for a failing start, milliseconds. */
const within = 15_000;

let cli: CommandLine;
beforeEach(async () => (cli = await commandLine()));
afterEach(() => cli[Symbol.asyncDispose]());

test.each(['crds', '--help', 'demo'])(
  '`millrace %s` ends without a word when the reader of its output has gone',
  { timeout: 60_000 },
  async (command) => {
    const script = `"${process.execPath}" "${program}" ${command} | head -n 1 >/dev/null`;
    const env = { ...cleanEnvironment(), XDG_STATE_HOME: cli.stateHome };
    const run = followed(spawn('sh', ['-c', script], { env, stdio: ['ignore', 'pipe', 'pipe'] }));
    expect(await run.exited).toBe(0);
    expect(run.stderr()).not.toMatch(/EPIPE|\bat .*:\d+/);
  },
);

test(
  '`millrace up` ends with 5 where its kubeconfig cannot be written, after closing its API',
  { timeout: within },
  async () => {
    await writeFile(join(cli.stateHome, 'file'), '');
    const out = join(cli.stateHome, 'file', 'kubeconfig');
    const run = cli.start(['up', '--port', '0', '--kubeconfig-out', out]);
    expect(await run.exited).toBe(5);
    expect(run.stdout()).toBe('');
    expect(run.stderr()).toMatch(
      /^error: a part of .*kubeconfig is a file, not a folder\nnext: .*\n$/,
    );
  },
);

test(
  '`millrace up` ends with 5 where its state folder is a file',
  { timeout: within },
  async () => {
    await mkdir(join(cli.stateHome, 'home'));
    await writeFile(join(cli.stateHome, 'home', 'millrace'), '');
    const env = { XDG_STATE_HOME: join(cli.stateHome, 'home') };
    const run = cli.start(['up', '--port', '0'], env);
    expect(await run.exited).toBe(5);
    expect(run.stderr()).toMatch(/^error: .*\nnext: .*\n$/);
  },
);

test(
  '`millrace up` ends with 8 and one error where no Redis listens',
  { timeout: within },
  async () => {
    const run = cli.start(['up', '--port', '0', '--redis', 'redis://127.0.0.1:9']);
    expect(await run.exited).toBe(8);
    expect(run.stderr()).toMatch(/^error: Redis at 127\.0\.0\.1:9 .*ECONNREFUSED.*\nnext: .*\n$/);
  },
);

test(
  '`millrace demo --cluster` ends with 8 and one error where no API server listens',
  { timeout: within },
  async () => {
    const kubeconfig = join(cli.stateHome, 'kubeconfig');
    const cluster = { name: 'c', cluster: { server: 'http://127.0.0.1:9' } };
    const context = { name: 'c', context: { cluster: 'c', user: 'u' } };
    const user = { name: 'u', user: { token: 't' } };
    const config = { apiVersion: 'v1', kind: 'Config', 'current-context': 'c' };
    await writeFile(
      kubeconfig,
      JSON.stringify({ ...config, clusters: [cluster], contexts: [context], users: [user] }),
    );
    const run = cli.start(['demo', '--cluster', '--kubeconfig', kubeconfig]);
    expect(await run.exited).toBe(8);
    expect(run.stderr()).toMatch(/^error: .*\nnext: .*\n$/);
  },
);

test('`millrace version -o json` has its published shape', { timeout: within }, async () => {
  const run = cli.start(['version', '-o', 'json']);
  expect(await run.exited).toBe(0);
  expect(outputFaults('version')(JSON.parse(run.stdout()))).toEqual([]);
});

test(
  'a full disk below standard output is reported without a stack',
  { timeout: within },
  async () => {
    const full = await open('/dev/full', 'w');
    try {
      const child = spawn(process.execPath, [program, 'crds'], {
        stdio: ['ignore', full.fd, 'pipe'],
      });
      let stderr = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
      const [code] = (await once(child, 'close')) as [number];
      expect([code, stderr]).toEqual([
        1,
        'error: standard output cannot be written: ENOSPC: no space left on device, write\nnext: make room there, or write elsewhere\n',
      ]);
    } finally {
      await full.close();
    }
  },
);
