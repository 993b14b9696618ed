/** The file that npm puts on PATH as `millrace`, and that npx starts. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cleanEnvironment } from './testing/cli.ts';

const launcher = join(import.meta.dirname, 'bin/millrace.js');

/** The answer to a wrong verb. */
function hintOf(variables: Readonly<Record<string, string>>): Promise<string> {
  const env = { ...cleanEnvironment(), ...variables };
  const { promise, resolve } = Promise.withResolvers<string>();
  execFile(process.execPath, [launcher, 'nonsense'], { env }, (_, _stdout, stderr) => {
    resolve(stderr);
  });
  return promise;
}

it.each(['millrace', "'millrace' 'nonsense'", 'millrace nonsense'])(
  'hints name the program as npx starts it: %s',
  async (npm_lifecycle_script) => {
    const hint = await hintOf({ npm_lifecycle_event: 'npx', npm_lifecycle_script });
    expect(hint).toContain('\nnext: npx millrace --help\n');
  },
);

it.each([
  ['a script of npm', { npm_lifecycle_event: 'demo', npm_lifecycle_script: 'millrace nonsense' }],
  ['another program that npx started', { npm_lifecycle_event: 'npx', npm_lifecycle_script: 'a' }],
])('hints name the program by its own name under %s', async (_, variables) => {
  expect(await hintOf(variables)).toContain('\nnext: millrace --help\n');
});

it('hints name the plugin of kubectl, also under npx', async () => {
  const plugin = { MILLRACE_PROGRAM: 'kubectl millrace' };
  const npx = { npm_lifecycle_event: 'npx', npm_lifecycle_script: 'millrace' };
  expect(await hintOf({ ...npx, ...plugin })).toContain('\nnext: kubectl millrace --help\n');
});
