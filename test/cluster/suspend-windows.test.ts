import { it } from 'vitest';
import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';
import { annotations } from '#shared/domain/labels.ts';
import { daemonJob } from '#test/support/daemons/daemon-manifest.ts';
import { TestNodes } from '#test/support/daemons/test-nodes.ts';
import { describeFlows } from '#test/support/flow-suite.ts';
import { flow, type FlowWorld, has, step, untilEnded } from '#test/support/flow-world.ts';
import { batchJob, openDuring, suspendPolicy } from '#test/support/suspension/suspend-manifests.ts';

const hour = 3_600_000;
const hasPods = (world: FlowWorld, job: string) =>
  world.pods(job).some(({ status }) => status?.phase !== 'Succeeded');

async function policyOf(world: FlowWorld, name: string): Promise<SuspendPolicy | undefined> {
  const { api, namespace } = world;
  return (await api.get('SuspendPolicy', { namespace, name })) as unknown as
    SuspendPolicy | undefined;
}

const note = (world: FlowWorld, job: string): Record<string, unknown> => {
  const text = world.job(job)?.metadata.annotations?.[annotations.held];
  return text === undefined ? {} : (JSON.parse(text) as Record<string, unknown>);
};

/** For changes that no watch of the test reports. */
const patience = { timeout: 45_000 };

describeFlows('the windows of a suspend policy', (suite) => {
  it.concurrent(
    'stop what runs at the closing and let it go on at the opening, with what it had done (scenario 53)',
    async ({ expect }) => {
      const world = await suite.world('nights');
      const indexed = { completions: 2, parallelism: 1, completionMode: 'Indexed' as const };
      await world.apply(batchJob('etl', { job: indexed }));
      await world.untilRunning('etl');
      await world.endPod('etl');
      await world.untilJob('etl', 'has done half', ({ status }) => status?.succeeded === 1);
      const running = await world.untilRunning('etl');

      const [closes, opens] = [Date.now() + 4_000, Date.now() + 16_000];
      await world.apply(
        suspendPolicy('nights', {
          schedule: openDuring([closes - hour, closes], [opens, opens + hour]),
        }),
      );
      await world.untilJob('etl', 'is Suspended', (job) => has(job, 'Suspended'));
      expect(Date.now()).toBeGreaterThanOrEqual(closes);
      await world.until('its Pod is gone', () => !hasPods(world, 'etl'));
      expect(note(world, 'etl')).toMatchObject({
        policy: `SuspendPolicy/${world.namespace}/nights`,
        reason: 'WindowClosed',
        until: `${new Date(Math.floor(opens / 1_000) * 1_000).toISOString().slice(0, 19)}Z`,
      });
      const events = await world.events();
      expect(events.map(({ reason }) => reason)).toContain('HeldByPolicy');

      const again = await world.untilRunning('etl');
      expect(Date.now()).toBeGreaterThanOrEqual(opens);
      expect(again.metadata.uid).not.toBe(running.metadata.uid);
      expect(note(world, 'etl')).toEqual({});
      await world.endPod('etl');
      const ended = await world.untilJob('etl', 'is Complete', (job) => has(job, 'Complete'));
      expect(ended.status).toMatchObject({ succeeded: 2 });
      expect(ended.status?.failed ?? 0).toBe(0);
    },
  );

  it.concurrent(
    'hold what comes while they are closed, by selector, and leave the rest alone',
    async ({ expect }) => {
      const world = await suite.world('closed');
      await world.apply(
        suspendPolicy('closed', {
          selector: { matchLabels: { tier: 'batch' } },
          schedule: openDuring(),
        }),
      );
      await world.apply(batchJob('held', { labels: { tier: 'batch' } }), batchJob('free'));
      await world.untilJob('held', 'is Suspended', (job) => has(job, 'Suspended'));
      await world.untilRunning('free');
      await world.until('its Pods are gone', () => !hasPods(world, 'held'));
      await expect
        .poll(async () => (await policyOf(world, 'closed'))?.status)
        .toMatchObject({ state: 'Closed', selected: 1, held: 1, running: 0 });
      expect(await world.kubectl(['get', 'msp'])).toMatch(/^closed +Closed +\d+s$/m);
    },
  );

  it.concurrent('hold flows and DaemonJobs as a whole', async ({ expect, onTestFinished }) => {
    const world = await suite.world('wholes');
    const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
    await nodes.add(['a']);
    await world.apply(
      flow('etl', [step('a', { runFor: untilEnded }), step('b', { after: ['a'] })]),
      daemonJob('wipe', nodes.pool, { runFor: untilEnded }),
    );
    await world.untilRunning('etl-a');
    await world.apply(suspendPolicy('closed', { schedule: openDuring() }));
    await world.untilState('etl', 'Suspended');
    await world.untilDaemonJob('wipe', 'is held', ({ status }) => status?.state === 'Suspended');
    await world.until('no Pod is left', () => world.pods().length === 0);
    // Their Jobs have the mark of their owners alone.
    expect(note(world, 'etl-a')).toEqual({});
    const now = Date.now();
    const schedule = openDuring([now - hour, now + hour]);
    await world.patch('SuspendPolicy', 'closed', { spec: { schedule } });
    await world.untilRunning('etl-a');
    await world.endPod('etl-a');
    await world.untilState('etl', 'Succeed');
  });

  it.concurrent(
    'leave alone what a person resumes, until the next transition (scenario 60)',
    async ({ expect }) => {
      const world = await suite.world('by-hand');
      await world.apply(suspendPolicy('closed', { schedule: openDuring() }), batchJob('etl'));
      await world.untilJob('etl', 'is Suspended', (job) => has(job, 'Suspended'));
      await world.patch('Job', 'etl', { spec: { suspend: false } });
      await world.untilRunning('etl');
      await world.throughout(
        3_000,
        'it is left alone',
        () => world.job('etl')?.spec.suspend === false,
      );
      await expect
        .poll(async () => (await policyOf(world, 'closed'))?.status?.overridden, patience)
        .toBe(1);
      expect(world.job('etl')?.metadata.annotations).not.toHaveProperty([annotations.held]);
      expect((await world.events()).map(({ reason }) => reason)).toContain('ManualOverride');
      const closes = Date.now() + 3_000;
      const reopened = openDuring([closes - hour, closes]);
      await world.patch('SuspendPolicy', 'closed', { spec: { schedule: reopened } });
      await world.untilJob('etl', 'is held again', (job) => has(job, 'Suspended'));
    },
  );

  it.concurrent(
    'never resume a Job that a person suspended, also when the policy is deleted (scenarios 60, 63)',
    async ({ expect }) => {
      const world = await suite.world('own-hold');
      await world.apply(batchJob('own'), batchJob('ours'));
      await world.untilRunning('own');
      await world.untilRunning('ours');
      await world.patch('Job', 'own', { spec: { suspend: true } });
      await world.apply(suspendPolicy('closed', { schedule: openDuring() }));
      await world.untilJob('ours', 'is Suspended', (job) => has(job, 'Suspended'));
      await world.delete('SuspendPolicy', 'closed');
      await world.untilRunning('ours');
      await expect.poll(() => policyOf(world, 'closed'), patience).toBeUndefined();
      expect(world.job('own')?.spec.suspend).toBe(true);
    },
  );

  it.concurrent(
    'leave what it holds suspended where a deleted policy says so (scenario 63)',
    async ({ expect }) => {
      const world = await suite.world('leave');
      await world.apply(
        suspendPolicy('closed', { schedule: openDuring(), onDelete: 'Leave' }),
        batchJob('etl'),
      );
      await world.untilJob('etl', 'is Suspended', (job) => has(job, 'Suspended'));
      await world.delete('SuspendPolicy', 'closed');
      await expect.poll(() => policyOf(world, 'closed'), patience).toBeUndefined();
      expect(world.job('etl')?.spec.suspend).toBe(true);
    },
  );
});
