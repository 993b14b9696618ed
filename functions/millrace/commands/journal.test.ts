import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandLine, commandLine } from '../testing/cli.ts';

// A whole cluster in its own process, on a possibly busy machine.
const slow = 60_000;

let cli: CommandLine;
beforeAll(async () => {
  cli = await commandLine();
  const up = cli.start(['up', '--port', '0', '--headless']);
  const [, kubeconfig = ''] = await up.printed(/KUBECONFIG=(\S+)/);
  const demo = cli.start(['demo', '--fail', 'job2'], { KUBECONFIG: kubeconfig });
  expect(await demo.exited).toBe(7);
}, slow);
afterAll(() => cli[Symbol.asyncDispose]());

async function finished(...args: readonly string[]) {
  const run = cli.start(args);
  const code = await run.exited;
  return { code, lines: run.stdout().trimEnd().split('\n'), stderr: run.stderr() };
}

test(
  'the journal of a flow has a line for each decision: event, reasons, writes and outcome',
  async () => {
    const { code, lines } = await finished('journal', 'demo-example');
    expect(code).toBe(0);
    expect(lines[0]).toMatch(
      /^\S+Z JobFlow\/demo-example changed -> flow-advance JobFlow\/demo-example: .* -> create Job demo-example-job\d.* -> applied$/,
    );
    const failed = lines.find((line) => line.includes(' -> Event StepFailed'));
    expect(failed).toMatch(
      /Job\/demo-example-job2 changed -> .*StepFailed \(failed: job2 \(BackoffLimitExceeded/,
    );
    const ofJob = await finished('events', '--for', 'job/demo-example-job2');
    expect(ofJob.lines.length).toBeGreaterThan(0);
    expect(lines).toEqual(expect.arrayContaining(ofJob.lines));
  },
  slow,
);

test(
  'a recording gives the same lines as the journal that it was exported from',
  async () => {
    const exported = await finished('journal', 'export');
    const file = join(cli.stateHome, 'recording.ndjson');
    await writeFile(file, exported.lines.join('\n'));
    expect(JSON.parse(exported.lines[0] ?? '')).toMatchObject({ kind: 'recording', format: 1 });
    const [live, read] = await Promise.all([
      finished('journal', 'demo-example', '-o', 'json'),
      finished('journal', 'demo-example', '-o', 'json', '--file', file),
    ]);
    expect(read.lines).toEqual(live.lines);
    expect(JSON.parse(live.lines[0] ?? '')).toMatchObject({
      event: { kind: 'JobFlow', name: 'demo-example' },
      function: 'flow-advance',
      object: { kind: 'JobFlow', namespace: 'default', name: 'demo-example' },
      writes: expect.arrayContaining([
        { verb: 'create', kind: 'Job', namespace: 'default', name: 'demo-example-job1' },
      ]) as unknown,
      outcome: 'applied',
    });
  },
  slow,
);

test(
  'an export of one object is a recording of what is recorded about it',
  async () => {
    const exported = await finished('journal', 'export', 'job/demo-example-job2', '--since', '1h');
    const file = join(cli.stateHome, 'of-a-job.ndjson');
    await writeFile(file, exported.lines.join('\n'));
    const [live, read] = await Promise.all([
      finished('journal', 'job/demo-example-job2'),
      finished('journal', '--file', file),
    ]);
    expect(read.lines).toEqual(live.lines);
    const { code, lines } = await finished('replay', '--file', file);
    expect({ code, last: lines.at(-1) }).toEqual({
      code: 0,
      last: expect.stringMatching(/^[1-9]\d* decisions were made again .* 0 differ$/) as unknown,
    });
  },
  slow,
);

test(
  'decisions are chosen by the event that led to them, by their position and by their time',
  async () => {
    const { lines } = await finished('journal', 'demo-example', '-o', 'json');
    const [{ position, time, event }] = lines.map(
      (line) => JSON.parse(line) as { position: string; time: string; event: { id: string } },
    ) as [{ position: string; time: string; event: { id: string } }];
    const [atPosition, ofEvent, until, none] = await Promise.all([
      finished('journal', '--id', position, '-o', 'json'),
      finished('journal', '--id', event.id, '-o', 'json'),
      finished('journal', 'demo-example', '--to', time, '-o', 'json'),
      finished('journal', 'demo-example', '--to', '1h'),
    ]);
    expect(atPosition.lines).toEqual([lines[0]]);
    expect(ofEvent.lines).toContain(lines[0]);
    expect(until.lines[0]).toBe(lines[0]);
    expect(until.lines.length).toBeLessThan(lines.length);
    expect(none.code).toBe(4);
  },
  slow,
);

test(
  'decisions are chosen by the type of their event and by their outcome',
  async () => {
    const all = await finished('journal', 'demo-example', '-o', 'json');
    const decisions = all.lines.map(
      (line) => JSON.parse(line) as { event: { type?: string }; outcome: string },
    );
    const isOf = (text: string) => (index: number) =>
      decisions[index]?.event.type?.includes(text) === true;
    const [ofJobs, applied, neither] = await Promise.all([
      finished('journal', 'demo-example', '--type', '.job.', '-o', 'json'),
      finished('journal', 'demo-example', '--outcome', 'applied', '-o', 'json'),
      finished('journal', 'demo-example', '--outcome', 'never'),
    ]);
    expect(ofJobs.lines).toEqual(all.lines.filter((_, index) => isOf('.job.')(index)));
    expect(ofJobs.lines.length).toBeGreaterThan(0);
    expect(applied.lines).toEqual(
      all.lines.filter((_, index) => decisions[index]?.outcome === 'applied'),
    );
    expect(applied.lines.length).toBeLessThan(all.lines.length);
    expect(neither).toMatchObject({ code: 4 });
  },
  slow,
);

test(
  'every recorded decision is made again as it was',
  async () => {
    const { code, lines } = await finished('replay', 'demo-example');
    expect(lines).toEqual([
      expect.stringMatching(/^\d+ decisions were made again \(\d+ a second\), 0 differ$/),
    ]);
    expect(code).toBe(0);
  },
  slow,
);

test(
  'what is followed goes on with new decisions',
  async () => {
    const followed = cli.start(['journal', '-f', '--function', 'daemon-fanout']);
    const demo = cli.start(['demo', 'daemonjob']);
    await followed.printed(/daemon-fanout DaemonJob\/\S+: .* -> applied/);
    followed.child.kill();
    await demo.exited;
  },
  slow,
);

test.each([
  ['an import', ['journal', 'import', 'x.ndjson'], 2, 'next: millrace journal --file x.ndjson'],
  ['an unknown name', ['journal', 'absent'], 4, 'has no such decision about absent'],
  ['a misspelt name', ['journal', 'demo-exmaple'], 4, '; did you mean demo-example?'],
  ['a misspelt name', ['replay', 'mjf/demo-exmaple'], 4, '; did you mean demo-example?'],
  ['an unknown function', ['journal', '--function', 'absent'], 2, 'there is no function absent'],
  ['a file that is no recording', ['journal', '--file', 'package.json'], 5, 'line 1 is no JSON'],
  ['a folder', ['journal', '--file', 'docs'], 5, 'docs is a folder, not a file'],
  ['no file of that name', ['journal', '--file', 'absent.ndjson'], 5, 'absent.ndjson'],
])('%s is refused with words', { timeout: slow }, async (_, args, code, words) => {
  const run = await finished(...args);
  expect(run.code).toBe(code);
  expect(run.stderr).toContain(words);
  expect(run.stderr).toContain('\nnext: ');
});

test(
  'what a flow asked for is delivered again, and nothing happens twice',
  async () => {
    const dry = await finished('replay', 'demo-example', '--deliver', '--dry-run');
    expect(dry.code).toBe(0);
    expect(dry.lines).toContainEqual(
      expect.stringMatching(
        /^flow-advance JobFlow\/default\/demo-example \(event \S+\) would be delivered$/,
      ),
    );
    const before = await finished('journal', 'demo-example', '--function', 'flow-advance');
    const again = ['replay', 'demo-example', '--deliver', '--function', 'flow-advance'];
    const unasked = await finished(...again);
    expect([unasked.code, unasked.lines]).toEqual([2, ['']]);
    expect(unasked.stderr).toMatch(/^error: deliver 1 item again\? .*\nnext: .* --yes\n$/);
    expect((await finished(...again, '--yes')).lines).toEqual([
      expect.stringMatching(
        /^flow-advance JobFlow\/default\/demo-example \(event \S+\) delivered$/,
      ),
    ]);
    // A decision without a write is not recorded.
    const after = await finished('journal', 'demo-example', '--function', 'flow-advance');
    expect(after.lines).toEqual(before.lines);
  },
  slow,
);
