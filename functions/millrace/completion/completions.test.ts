import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { createProgram } from '../program.ts';
import { program as millrace } from '../testing/cli.ts';
import { findProgram } from '../up/find-program.ts';
import { type Asked, completionsOf } from './completions.ts';
import { completionScripts, type Shell } from './scripts.ts';

const run = promisify(execFile);
const program = createProgram('millrace');
const inTeamB = [{ value: 'other', description: 'JobFlow' }];
const names = async ({ namespace, kind }: Asked) => {
  if (kind !== undefined) return [{ value: `${kind}/nightly`, description: kind }];
  if (namespace === 'team-b') return inTeamB;
  return [
    { value: 'hello', description: 'JobFlow' },
    { value: 'scan', description: 'DaemonJob' },
  ];
};

async function valuesAt(...words: readonly string[]) {
  const { candidates, isPath } = await completionsOf(program, words, {
    name: names,
    namespace: async ({ context = 'here' }) => [{ value: `team-of-${context}`, description: '' }],
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

test('the verb of a verb takes the options of both', async () => {
  expect(await valuesAt('queue', 'retry', '--re')).toEqual(['--redis', '--redis-insecure']);
  expect(await valuesAt('queue', 'retry', '-n', 'team-b', '')).toEqual(['other']);
  expect(await valuesAt('journal', 'export', '--fr')).toEqual(['--from']);
});

test('the value of an option is one of its choices, and a file where it names one', async () => {
  expect(await valuesAt('get', '-o', 'y')).toEqual(['yaml']);
  expect(await valuesAt('get', '--kubeconfig', '')).toBe('path');
});

test('a name is completed with objects of the cluster, behind options and their values too', async () => {
  expect(await valuesAt('watch', '--timeout', '60', 'h')).toEqual(['hello']);
});

test('a name behind KIND/ is completed with objects of that kind', async () => {
  expect(await valuesAt('why', 'jobflow/')).toEqual(['jobflow/nightly']);
  expect(await valuesAt('get', 'hello', 'mdj/n')).toEqual(['mdj/nightly']);
  expect(await valuesAt('why', 'job/other')).toEqual([]);
});

test('a name is completed from the namespace that the line names', async () => {
  expect(await valuesAt('watch', '-n', 'team-b', '')).toEqual(['other']);
});

test('a namespace is completed from the cluster that the line names', async () => {
  expect(await valuesAt('watch', '-n', '')).toEqual(['team-of-here']);
  expect(await valuesAt('get', '--context', 'there', '--namespace', 't')).toEqual([
    'team-of-there',
  ]);
});

test('a function is completed, as an argument and as the value of an option', async () => {
  expect(await valuesAt('invoke', 'fl')).toEqual(['flow-advance']);
  expect(await valuesAt('journal', '--function', '')).toEqual(['flow-advance']);
  expect(await valuesAt('invoke', 'flow-advance', 'h')).toEqual(['hello']);
});

test('where no more arguments are taken nothing is offered', async () => {
  expect(await valuesAt('watch', 'hello', '')).toEqual([]);
});

test('an empty pair of quotes is an empty word', async () => {
  expect(await valuesAt('schedule', '""')).toEqual(['preview']);
});

/** Commands that print what each shell offers after `millrace re`, as at Tab. `script`: the file to load. */
const askers: Readonly<Record<Shell, (script: string) => readonly string[]>> = {
  bash: (script) => [
    '-c',
    `. ${script}; COMP_WORDS=(millrace re) COMP_CWORD=1; _millrace; printf '%s\n' "\${COMPREPLY[@]}"`,
  ],
  // Presses Tab in a pseudo-terminal.
  zsh: (script) => [
    '-fc',
    `zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1= LISTMAX=1000; stty cols 200; autoload -U compinit; compinit -D -u; . ${script}; print -n RE""ADY'
zpty -r shell seen '*READY*'
zpty -n -w shell $'millrace re\t\t'
zpty -r shell seen '*retry*'
print -r -- "$seen"`,
  ],
  fish: (script) => ['--no-config', '-c', `source ${script}; complete -C 'millrace re'`],
  pwsh: (script) => [
    '-NoProfile',
    '-NonInteractive',
    '-Command',
    `. ${script}; (TabExpansion2 'millrace re' 11).CompletionMatches.CompletionText`,
  ],
};

describe('a shell completes with its script', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-completion-'));
    const stub = join(folder, 'millrace');
    await writeFile(stub, `#!/bin/sh\nexec "${process.execPath}" "${millrace}" "$@"\n`);
    await chmod(stub, 0o755);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.for(Object.keys(askers) as Shell[])('%s', { timeout: 60_000 }, async (shell, { skip }) => {
    const found = await findProgram(shell, process.env['PATH']);
    if (found === undefined) skip(`there is no ${shell} on this machine`);
    const script = join(folder, `millrace.${shell === 'pwsh' ? 'ps1' : shell}`);
    await writeFile(script, completionScripts[shell]);
    const path = [folder, process.env['PATH']].join(delimiter);
    const env = { ...process.env, PATH: path, HOME: folder, TERM: 'dumb' };
    const { stdout } = await run(found ?? '', askers[shell](script), { env });
    expect(stdout.match(/^re[a-z]+/gm)?.toSorted()).toEqual(['replay', 'resume', 'retry']);
  });
});
