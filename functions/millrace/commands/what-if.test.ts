import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { CommandFailure } from '../command-failure.ts';
import { whatIf } from './what-if.ts';

const recording = join(import.meta.dirname, '../../../test/replay/format-1.ndjson');
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-what-if-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function asked(output: 'text' | 'json', ...objects: readonly object[]) {
  const file = join(folder, 'objects.yaml');
  await writeFile(file, objects.map((each) => stringify(each)).join('---\n'));
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const code = await whatIf(undefined, file, { file: recording, output }, say);
  return { code, lines };
}

/** The policy of the recording is open on February 29 only. */
const shut = (open: string, close: string, name = 'shut') => ({
  ...{ apiVersion: 'millrace.dev/v1alpha1', kind: 'SuspendPolicy', metadata: { name } },
  spec: {
    selector: { matchLabels: { tier: 'batch' } },
    schedule: { timeZone: 'UTC', windows: [{ name: 'leap', open, close }] },
  },
});

it('another window shows what was decided, and what would have been', async () => {
  const { code, lines } = await asked('text', shut('0 0 * * *', '59 23 * * *'));
  expect(code).toBe(9);
  const at = lines.findIndex((line) => line.includes('Event HeldByPolicy'));
  expect(lines.slice(at - 1, at + 2)).toEqual([
    expect.stringMatching(/^\S+Z suspend-schedule SuspendPolicy\/default\/shut$/),
    expect.stringMatching(/^ {2}was: {3}Closed \(.*\) -> .*patch JobFlow night/),
    expect.stringMatching(/^ {2}would: Open \(.*\) -> Event WindowOpened/),
  ]);
  expect(lines.at(-1)).toMatch(
    /^\d+ of \d+ decisions stand on what .* has; [1-9]\d* would differ$/,
  );
});

it('the same window changes nothing', async () => {
  const { code, lines } = await asked('text', shut('0 0 29 2 *', '1 0 29 2 *'));
  expect(code).toBe(0);
  expect(lines).toEqual([expect.stringMatching(/; 0 would differ$/)]);
});

const step = (name: string, image: string, dependencies: readonly string[] = []) => ({
  ...{ name, dependencies },
  jobTemplate: { template: { spec: { containers: [{ name: 'main', image }] } } },
});

it('another parameter of a flow shows the field of the write that it changes', async () => {
  const flow = {
    ...{ apiVersion: 'api.practice.com/v1alpha1', kind: 'JobFlow', metadata: { name: 'queued' } },
    spec: { flows: [step('a', 'other')] },
  };
  const { code, lines } = await asked('json', flow);
  expect(code).toBe(9);
  const differences = lines.map((line) => JSON.parse(line) as { readonly difference?: object });
  expect(differences.map(({ difference }) => difference)).toContainEqual(
    expect.objectContaining({ path: expect.stringContaining('containers.0') as unknown }),
  );
});

it.each([
  ['an object that nothing was decided on', shut('0 0 * * *', '1 0 * * *', 'other'), 4],
  ['a window that never opens', shut('0 0 30 2 *', '1 0 * * *'), 5],
  ['what is no object', { spec: {} }, 5],
])('%s is refused', async (_, object, exitCode) => {
  const refused = asked('text', object);
  await expect(refused).rejects.toThrow(CommandFailure);
  await expect(refused).rejects.toMatchObject({ exitCode });
});
