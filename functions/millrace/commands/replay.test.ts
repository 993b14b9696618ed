/** The commands on a frozen recording, without access to a cluster. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { outputFaults } from '../testing/output-shape.ts';
import { deliver } from './deliver.ts';
import { journal } from './journal.ts';
import { replay } from './replay.ts';
import { whatIf } from './what-if.ts';

const frozen = join(import.meta.dirname, '../../../test/replay/format-1.ndjson');
/** A command that opened a cluster would fail. */
const kubeconfig = '/absent/kubeconfig';
let folder: string;
/** A recording in which the first decision that created a Job created another one. */
let changed: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-replay-'));
  changed = join(folder, 'changed.ndjson');
  const lines = (await readFile(frozen, 'utf8')).split('\n');
  const at = lines.findIndex((line) => line.includes('"kind":"create","resource"'));
  const line = (lines[at] ?? '').replace(/(.*)"image":"busybox"/, '$1"image":"changed"');
  await writeFile(changed, lines.with(at, line).join('\n'));
});
afterAll(() => rm(folder, { recursive: true }));

type Run = (say: (line: string) => void) => Promise<unknown>;

async function printed(run: Run): Promise<readonly string[]> {
  const lines: string[] = [];
  await run((line) => void lines.push(line));
  return lines;
}

it('a frozen recording is decided as it was, without a cluster', async () => {
  const lines: string[] = [];
  const code = await replay(undefined, { file: frozen, kubeconfig }, (line) => lines.push(line));
  expect(lines).toEqual([
    expect.stringMatching(/^\d\d decisions were made again \(\d+ a second\), 0 differ$/),
  ]);
  expect(code).toBe(0);
});

it('a choice that fits no recorded decision is reported as such', async () => {
  const options = { file: frozen, kubeconfig, id: 'absent' };
  await expect(printed((say) => replay(undefined, options, say))).rejects.toMatchObject({
    exitCode: 4,
    message: 'the journal has no such decision',
  });
});

it('a decision that is another one today is shown in two lines, and has an exit code of its own', async () => {
  const lines: string[] = [];
  const code = await replay(undefined, { file: changed, kubeconfig }, (line) => lines.push(line));
  expect(lines).toEqual([
    expect.stringMatching(
      / flow-advance JobFlow\/default\/\w+, plan\.0\.0\..*\.image: recorded by \S+ "changed", since Running \(/,
    ),
    expect.stringMatching(/\.image: today "busybox", since Running \(the flow is Running\)/),
    expect.stringMatching(/, 1 differs$/),
  ]);
  expect(code).toBe(9);
});

const outputs: readonly (readonly [
  what: string,
  verb: 'journal' | 'replay',
  fewestLines: number,
  run: Run,
])[] = [
  ['journal', 'journal', 50, (say) => journal(undefined, { ...json(), kubeconfig }, say)],
  ['replay', 'replay', 2, (say) => replay(undefined, json(changed), say)],
  ['replay --deliver', 'replay', 5, (say) => deliver(undefined, { ...json(), dryRun: true }, say)],
  [
    'replay --what-if',
    'replay',
    2,
    async (say) => {
      const manifest = join(folder, 'policy.json');
      await writeFile(manifest, JSON.stringify(alwaysOpen));
      await whatIf(undefined, manifest, json(), say);
    },
  ],
];

const json = (file = frozen) => ({ file, output: 'json' }) as const;
const alwaysOpen = {
  ...{ apiVersion: 'millrace.dev/v1alpha1', kind: 'SuspendPolicy', metadata: { name: 'shut' } },
  spec: {
    selector: { matchLabels: { tier: 'batch' } },
    schedule: {
      timeZone: 'UTC',
      windows: [{ name: 'day', open: '0 0 * * *', close: '59 23 * * *' }],
    },
  },
};

it.each(outputs)('%s -o json is as its schema has it', async (_, verb, fewestLines, run) => {
  const lines = await printed(run);
  expect(lines.length).toBeGreaterThanOrEqual(fewestLines);
  const faults = outputFaults(verb);
  for (const line of lines) expect(faults(JSON.parse(line)), line).toEqual([]);
});

it('a line that its schema does not have is a fault', () => {
  const [journalFaults, whyFaults] = [outputFaults('journal'), outputFaults('why')];
  expect(journalFaults({ position: '1-1' })).not.toEqual([]);
  const object = { kind: 'Job', namespace: 'default', name: 'etl' };
  const cause = { object, reason: 'R', message: '', source: 's', because: [] };
  const explained = { object, state: '', waits: true, causes: [cause], next: 'kubectl get jobs' };
  expect(whyFaults(explained)).toEqual([]);
  expect(
    whyFaults({ ...explained, causes: [{ ...cause, because: [{ ...cause, odd: 1 }] }] }),
  ).not.toEqual([]);
});
