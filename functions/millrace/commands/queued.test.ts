/** The verbs for work in a queue of Kueue, as processes against a `millrace up --kueue`. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { fieldsOf } from '#shared/domain/json-value.ts';
import { queueLabel } from '#shared/domain/queue-labels.ts';
import { resources } from '#shared/domain/resources.ts';
import { type RunningUp, runningUp } from '../testing/running-up.ts';

// A whole cluster in its own process, on a possibly busy machine.
const slow = 120_000;

const { JobFlow, Workload } = resources;
const key = { namespace: 'default', name: 'etl' };
let up: RunningUp;
beforeAll(async () => {
  up = await runningUp('--kueue');
  const containers = [{ name: 'main', image: 'busybox', command: ['sleep', '100000'] }];
  await up.client.create(JobFlow, {
    apiVersion: 'api.practice.com/v1alpha1',
    kind: 'JobFlow',
    metadata: { ...key, labels: { [queueLabel]: 'main' } },
    spec: { flows: [{ name: 'a', jobTemplate: { template: { spec: { containers } } } }] },
  });
}, slow);
afterAll(() => up[Symbol.asyncDispose]());

async function untilSuspended(isSuspended: boolean): Promise<void> {
  await vi.waitFor(
    async () => {
      const { spec } = (await up.client.get(JobFlow, key)) ?? {};
      expect(fieldsOf(spec)['suspend']).toBe(isSuspended);
    },
    { timeout: 30_000 },
  );
}

test(
  '`suspend` and `resume` print the command that holds and resumes it',
  { timeout: slow },
  async () => {
    await untilSuspended(false);
    const { items } = await up.client.list(Workload, { namespace: 'default' });
    const { name = '' } = items[0]?.metadata ?? {};
    const patch = (active: boolean) =>
      `patch workloads.kueue.x-k8s.io ${name} --type merge -p '{"spec":{"active":${active}}}'`;

    const refused = await up.finished('suspend', 'etl');
    expect(refused).toMatchObject({ code: 5, stdout: '' });
    expect(refused.stderr).toContain('jobflow/etl is in the queue main of Kueue');
    expect(refused.stderr).toContain(patch(false));
    await untilSuspended(false);

    const target = { namespace: 'default', name };
    await up.client.patch(Workload, target, { spec: { active: false } }, { type: 'merge' });
    await untilSuspended(true);
    expect((await up.finished('suspend', 'etl')).stdout).toBe('jobflow/etl is suspended already\n');
    expect((await up.finished('resume', 'etl')).stderr).toContain(patch(true));
    const follow = up.cli.start(['logs', 'etl', '--follow']);
    await follow.said(/next: millrace why etl/);
    follow.child.kill('SIGINT');
    await follow.exited;
    expect((await up.finished('why', 'etl')).stdout).toContain(patch(true));
  },
);
