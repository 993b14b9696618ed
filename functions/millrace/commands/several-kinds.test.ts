/** Verbs where several kinds have one name, as processes against a `millrace up`. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resources } from '#shared/domain/resources.ts';
import { type RunningUp, runningUp } from '../testing/running-up.ts';

// A whole cluster in its own process, on a possibly busy machine.
const slow = 120_000;

let up: RunningUp;
beforeAll(async () => {
  up = await runningUp('--speed', '20');
  const template = { spec: { containers: [{ name: 'main', image: 'busybox:1.28' }] } };
  const metadata = { name: 'both', namespace: 'default' };
  await up.createFlow('both', { a: { sh: 'sleep 1' } });
  await up.client.create(resources.DaemonJob, {
    ...{ apiVersion: 'api.practice.com/v1alpha1', kind: 'DaemonJob', metadata },
    spec: { template },
  });
  await up.client.create(resources.JobTemplate, {
    ...{ apiVersion: 'api.practice.com/v1alpha1', kind: 'JobTemplate', metadata },
    spec: { jobTemplate: { template } },
  });
  await up.client.create(resources.SuspendPolicy, {
    ...{ apiVersion: 'millrace.dev/v1alpha1', kind: 'SuspendPolicy' },
    metadata: { ...metadata, name: 'leap-days' },
    spec: {
      selector: { matchLabels: { tier: 'batch' } },
      schedule: {
        timeZone: 'UTC',
        windows: [{ name: 'leap-day', open: '0 0 29 2 *', close: '1 0 29 2 *' }],
      },
    },
  });
  await up.finished('watch', 'jobflow/both', '--timeout', '60');
  await up.finished('watch', 'daemonjob/both', '--timeout', '60');
}, slow);
afterAll(() => up[Symbol.asyncDispose]());

test('a name that several kinds have shows each below its kind', { timeout: slow }, async () => {
  const { code, stdout } = await up.finished('get', 'both');
  expect(code).toBe(0);
  const headings = stdout.split('\n').filter((line) => /^[a-z]+\/|^$/.test(line));
  expect(headings).toEqual(['jobflow/both', '', 'daemonjob/both', '']);
});

test('policies and templates are lines where they are named', { timeout: slow }, async () => {
  const { code, stdout } = await up.finished('get', 'msp,jobtemplates');
  expect(code).toBe(0);
  expect(stdout.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^NAME +STATUS +PROGRESS +AGE$/),
    expect.stringMatching(/^suspendpolicy\/leap-days +Closed +\w+$/),
    expect.stringMatching(/^jobtemplate\/both +\w+$/),
  ]);
  const one = await up.finished('get', 'msp', 'leap-days', '-o', 'wide');
  expect(one.stdout).toMatch(/^suspendpolicy\/leap-days +Closed .*\n$/m);
  const name = await up.finished('get', 'mjt/both', '-o', 'name');
  expect(name.stdout).toBe('jobtemplate.api.practice.com/both\n');
  const work = await up.finished('get', '-o', 'name');
  expect(work.stdout).toBe('jobflow.api.practice.com/both\ndaemonjob.api.practice.com/both\n');
});

test('a cluster-wide kind has no namespace to look elsewhere for', { timeout: slow }, async () => {
  const { code, stdout, stderr } = await up.finished('get', 'clustersuspendpolicies');
  expect([code, stdout, stderr]).toEqual([0, '', 'there is nothing yet\n']);
});

test('several kinds are listed in their order', { timeout: slow }, async () => {
  const work = await up.finished('get', 'mdj,mjf', '-o', 'name');
  expect(work.stdout).toBe('daemonjob.api.practice.com/both\njobflow.api.practice.com/both\n');
  const children = await up.finished('get', 'pods,jobs', '--for', 'jobflow/both');
  expect(children.stdout).toMatch(/\npod\/both-a-\S+ .*\njob\/both-a /);
});

test('times of a faster cluster are compared with its own clock', { timeout: slow }, async () => {
  await up.createFlow('long', { a: { sh: 'sleep 6000' } });
  await expect
    .poll(async () => (await up.finished('get', 'jobflow/long')).stdout, { timeout: 30_000 })
    .toMatch(/a +Running +\d+\.\ds/);
  const { stdout } = await up.finished('get', 'jobflow/long');
  expect(stdout).not.toMatch(/-\d+\.\ds/);
});

test('`watch` of what has ended shows its parts', { timeout: slow }, async () => {
  const { code, stdout } = await up.finished('watch', 'daemonjob/both', '--timeout', '60');
  expect(code).toBe(0);
  expect(stdout.match(/✔ .* Succeed /g)).toHaveLength(4);
});

test('`graph -w` follows the flow where other kinds have its name', { timeout: slow }, async () => {
  expect(await up.finished('graph', 'both', '-w')).toMatchObject({ code: 0, stderr: '' });
});

test(
  '`why` explains from the cluster also when Redis does not answer',
  { timeout: slow },
  async () => {
    const { code, stdout, stderr } = await up.finished(
      ...['why', 'job/both-a', '--redis', 'redis://127.0.0.1:1'],
    );
    expect(code).toBe(8);
    expect(stdout).toContain('Job default/both-a');
    expect(stderr).toContain('Redis at 127.0.0.1:1 does not answer');
  },
);

test('`why` says that a Job runs or has succeeded', { timeout: slow }, async () => {
  const { stdout } = await up.finished('why', 'job/both-a');
  expect(stdout).toMatch(/^Job default\/both-a: Succeed\n {2}it has succeeded\nnext: /);
  const running = { name: 'runs', namespace: 'default' };
  const template = {
    spec: {
      restartPolicy: 'Never',
      containers: [{ name: 'main', image: 'busybox', command: ['sleep', '100000'] }],
    },
  };
  await up.client.create(resources.Job, {
    ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: running, spec: { template } },
  });
  await expect
    .poll(async () => (await up.finished('why', 'job/runs')).stdout, { timeout: slow })
    .toMatch(/^Job default\/runs: Running\n/);
});
