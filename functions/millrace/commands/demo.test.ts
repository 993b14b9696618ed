import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kubeconfigFor } from '#sandbox';
import { type CommandLine, commandLine } from '../testing/cli.ts';

let cli: CommandLine;
beforeAll(async () => (cli = await commandLine()));
afterAll(() => cli[Symbol.asyncDispose]());

// A whole cluster in its own process, on a possibly busy machine.
const slow = 60_000;

async function finished(...args: readonly string[]) {
  const run = cli.start(args);
  const code = await run.exited;
  return { code, stdout: run.stdout(), stderr: run.stderr() };
}

test.concurrent(
  'without anything else the five-job flow runs to its end, in the order of its dependencies',
  async () => {
    const { code, stdout, stderr } = await finished('demo');
    expect(code).toBe(0);
    const order = [...stdout.matchAll(/(job\d) +(Succeed)/g)].map(([, name]) => name);
    expect([...order].sort()).toEqual(['job1', 'job2', 'job3', 'job4', 'job5']);
    const place = (name: string) => order.indexOf(name);
    expect(place('job1')).toBeLessThan(place('job2'));
    expect(place('job2')).toBeLessThan(place('job3'));
    expect(stdout).toMatch(/job3 +\w+ +← job1, job2 completed {2}event job2@\d+/);
    expect(stdout).toMatch(/Succeed: 5 of 5 steps succeeded in \d+\.\ds/);
    expect(stderr).toContain('a sandbox in this process');
    expect(stderr).toMatch(/\nnext: npx millrace demo --fail job2\n$/);
  },
  slow,
);

test.concurrent(
  'a kubeconfig that is named is used, and not a sandbox',
  async () => {
    const { code, stderr } = await finished('demo', '--kubeconfig', '/nowhere/config');
    expect(code).toBe(5);
    expect(stderr).toContain('no usable cluster configuration at /nowhere/config: ');
  },
  slow,
);

test.concurrent(
  'the DaemonJob runs on the nodes that are not excluded',
  async () => {
    const { code, stdout, stderr } = await finished('demo', 'daemonjob');
    expect(code).toBe(0);
    expect(stdout).toMatch(/vm-0-12-centos +Succeed/);
    expect(stdout).toMatch(/vm-0-17-centos +Succeed/);
    expect(stdout).not.toMatch(/node1|node2/);
    expect(stdout).toMatch(/Succeed: 2 of 2 nodes succeeded in \d+\.\ds/);
    expect(stderr).toMatch(/npx millrace demo daemonjob in a second terminal\n$/);
  },
  slow,
);

test.concurrent(
  'a night starts and stops a Job, which keeps what it has done',
  async () => {
    const { code, stdout, stderr } = await finished('demo', 'night');
    expect(code).toBe(0);
    const lines = stdout.split('\n').map((line) => line.replace(/^\w+ \d\d:\d\d +/, ''));
    const ofJob = lines.flatMap((line) => {
      const found = /^long-calculation (.+): (\d+) of 20 parts done$/.exec(line);
      return found === null ? [] : [{ standing: found[1], done: Number(found[2]) }];
    });
    const standings = ['runs', 'is held', 'runs', 'is held', 'runs', 'has ended'];
    expect(ofJob.map(({ standing }) => standing)).toEqual(standings);
    // Not all parts fit into one night. How many do depends on the machine.
    const done = ofJob.map((each) => each.done);
    expect(done.slice(0, 3)).toEqual([0, 0, 0]);
    expect(done[3]).toBeGreaterThan(0);
    expect(done[3]).toBeLessThan(20);
    // A part that ends just when its Job is held is counted after that.
    expect(done).toEqual(done.toSorted((a, b) => a - b));
    expect(done.at(-1)).toBe(20);
    expect(stderr).toContain('an hour takes a second');
  },
  slow,
);

test.concurrent(
  'a duplicate and an old event are delivered on purpose and come to nothing',
  async () => {
    const { stdout } = await finished('demo', 'example-template');
    expect(stdout).toMatch(/delivered twice the last event of job1 \(job1@\d+\): no effect/);
    expect(stdout).toMatch(/delivered late {2}the first event of job1 \(job1@\d+\): no effect/);
    expect(stdout).toContain('2 duplicates ignored (1 of them out of order)');
  },
  slow,
);

test.concurrent(
  'a step that fails shows its reason, what is skipped for it, and exit code 7',
  async () => {
    const { code, stdout } = await finished('demo', '--fail', 'job2');
    expect(code).toBe(7);
    expect(stdout).toMatch(/✖ job2 +Failed .*BackoffLimitExceeded/);
    expect(stdout).toMatch(/– job3 +Skipped .*it depends on job2, which failed/);
    expect(stdout).not.toMatch(/job3 +Running/);
    expect(stdout).toMatch(/Failed: 2 of 5 steps succeeded/);
  },
  slow,
);

test.concurrent(
  'into a pipe no escape is written, with --no-utf8 nothing but ASCII',
  async () => {
    const { stdout, stderr } = await finished('demo', 'example-template', '--no-utf8');
    expect(stdout + stderr).toMatch(/^[\n -~]+$/);
  },
  slow,
);

test.concurrent(
  'an unknown demo: exit code 4, the list on standard error, nothing on standard output',
  async () => {
    const { code, stdout, stderr } = await finished('demo', 'nope');
    expect(code).toBe(4);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^error: there is no demo nope/);
    expect(stderr).toContain(' jobflow-example-error, ');
    expect(stderr).toMatch(/\nnext: millrace demo jobflow-example\n$/);
  },
);

test.concurrent('a step that is not there: exit code 4', async () => {
  const { code, stderr } = await finished('demo', '--fail', 'job9');
  expect(code).toBe(4);
  expect(stderr).toContain('it has job1, job2, job3, job4, job5');
});

test.concurrent('an unknown option: exit code 2', async () => {
  const { code, stderr } = await finished('demo', '--fial', 'job2');
  expect(code).toBe(2);
  expect(stderr).toContain('did you mean --fail?');
});

test.concurrent(
  'one Ctrl-C ends it with exit code 130',
  async () => {
    const run = cli.start(['demo']);
    await run.printed(/job1/);
    run.child.kill('SIGINT');
    expect(await run.exited).toBe(130);
  },
  slow,
);

test.concurrent('--cluster without a cluster says so, exit code 8', async () => {
  const run = cli.start(['demo', '--cluster', '--kubeconfig', unreachable()]);
  expect(await run.exited).toBe(8);
  expect(run.stderr()).toMatch(/MR_API_UNREACHABLE\)\nnext: /);
});

/** A kubeconfig for a port without a listener. */
function unreachable(): string {
  const file = join(cli.stateHome, 'unreachable');
  writeFileSync(file, kubeconfigFor({ url: 'https://127.0.0.1:9', token: 'none', cert: '' }));
  return file;
}
