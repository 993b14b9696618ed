import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createProgram } from '../program.ts';
import { program as millrace } from '../testing/cli.ts';
import { completionsOf } from './completions.ts';
import { completionScripts } from './scripts.ts';

const run = promisify(execFile);
const program = createProgram('millrace');
const names = async () => [
  { value: 'hello', description: 'JobFlow' },
  { value: 'scan', description: 'DaemonJob' },
];

async function valuesAt(...words: readonly string[]) {
  const { candidates, isPath } = await completionsOf(program, words, {
    name: names,
    function: async () => [{ value: 'flow-advance', description: '' }],
  });
  return isPath ? 'path' : candidates.map(({ value }) => value);
}

test('an unfinished verb is completed from the declared ones', async () => {
  expect(await valuesAt('re')).toEqual(['retry', 'resume', 'replay']);
});

test('the verb of a verb is completed', async () => {
  expect(await valuesAt('schedule', '')).toEqual(['preview']);
});

test('an unfinished option is completed with those of its verb', async () => {
  expect(await valuesAt('cancel', 'hello', '--g')).toEqual(['--graceful']);
});

test('the value of an option is one of its choices, and a file where it names one', async () => {
  expect(await valuesAt('get', '-o', 'y')).toEqual(['yaml']);
  expect(await valuesAt('get', '--kubeconfig', '')).toBe('path');
});

test('a name is completed with objects of the cluster, behind options and their values too', async () => {
  expect(await valuesAt('watch', '--timeout', '60', 'h')).toEqual(['hello']);
});

test('a function is completed, as an argument and as the value of an option', async () => {
  expect(await valuesAt('invoke', 'fl')).toEqual(['flow-advance']);
  expect(await valuesAt('journal', '--function', '')).toEqual(['flow-advance']);
  expect(await valuesAt('invoke', 'flow-advance', 'h')).toEqual(['hello']);
});

test('where no more arguments are taken nothing is offered', async () => {
  expect(await valuesAt('watch', 'hello', '')).toEqual([]);
});

test('bash completes with the script', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-completion-'));
  try {
    const stub = join(folder, 'millrace');
    await writeFile(stub, `#!/bin/sh\nexec "${process.execPath}" "${millrace}" "$@"\n`);
    await chmod(stub, 0o755);
    const script = `${completionScripts.bash}\nCOMP_WORDS=(millrace re) COMP_CWORD=1\n_millrace\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
    const path = [folder, process.env['PATH']].join(delimiter);
    const { stdout } = await run('bash', ['-c', script], { env: { ...process.env, PATH: path } });
    expect(stdout.trim().split('\n')).toEqual(['retry', 'resume', 'replay']);
  } finally {
    await rm(folder, { recursive: true });
  }
});
