import { it } from 'vitest';
import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';
import { annotations } from '#shared/domain/labels.ts';
import { describeFlows } from '#test/support/flow-suite.ts';
import { type FlowWorld, has } from '#test/support/flow-world.ts';
import { batchJob, openDuring, suspendPolicy } from '#test/support/suspension/suspend-manifests.ts';

const hour = 3_600_000;
/** CronJobs run at full minutes. */
const aMinuteAndMoreMs = 75_000;

async function policyOf(world: FlowWorld, name: string): Promise<SuspendPolicy | undefined> {
  const { api, namespace } = world;
  const found = await api.get('SuspendPolicy', { namespace, name });
  return found as unknown as SuspendPolicy | undefined;
}

const noteOn = (world: FlowWorld, job: string) =>
  world.job(job)?.metadata.annotations?.[annotations.held];

describeFlows('a suspend policy', (suite) => {
  it.concurrent(
    'gives a grace, warns before its end, and leaves alone what ends within it (scenario 57)',
    async ({ expect }) => {
      const world = await suite.world('grace');
      await world.apply(batchJob('stays'), batchJob('ends'));
      await world.untilRunning('stays');
      await world.untilRunning('ends');
      const closes = Date.now() + 2_000;
      const onClose = { action: 'SuspendAfter', afterSeconds: 10, warnSeconds: 5 } as const;
      await world.apply(
        suspendPolicy('closing', { schedule: { ...openDuring([closes - hour, closes]), onClose } }),
      );
      await expect
        .poll(async () => (await policyOf(world, 'closing'))?.status?.state)
        .toBe('Closed');
      await world.endPod('ends');
      await world.untilJob('stays', 'is warned', () => noteOn(world, 'stays') !== undefined);
      expect(Date.now()).toBeGreaterThanOrEqual(closes + 5_000);
      expect(world.job('stays')?.spec.suspend).toBe(false);
      expect(noteOn(world, 'stays')).toContain('"suspends"');
      await world.untilJob('ends', 'is Complete', (job) => has(job, 'Complete'));
      await world.untilJob('stays', 'is Suspended', (job) => has(job, 'Suspended'));
      expect(Date.now()).toBeGreaterThanOrEqual(closes + 10_000);
      const suspended = world.jobSightings().filter(({ object }) => object.spec.suspend === true);
      expect(new Set(suspended.map(({ object }) => object.metadata.name))).toEqual(
        new Set(['stays']),
      );
      const reasons = (await world.events()).map(({ reason }) => reason);
      expect(reasons).toContain('SuspendsSoon');
    },
  );

  it.concurrent(
    'lets an override go before it, until its time (scenario 61)',
    async ({ expect }) => {
      const world = await suite.world('override');
      const override = (text: string) => ({ [annotations.suspendOverride]: text });
      await world.apply(
        suspendPolicy('closed', { schedule: openDuring() }),
        batchJob('usual'),
        batchJob('exempt', { annotations: override('Run') }),
      );
      await world.untilJob('usual', 'is Suspended', (job) => has(job, 'Suspended'));
      await world.untilRunning('exempt');
      const until = Date.now() + 2_000;
      const bounded = override(`Run;until=${new Date(until).toISOString()}`);
      await world.patch('Job', 'exempt', { metadata: { annotations: bounded } });
      await world.untilJob('exempt', 'is Suspended', (job) => has(job, 'Suspended'));
      expect(Date.now()).toBeGreaterThanOrEqual(until);
    },
  );

  it.concurrent(
    'with the higher precedence decides; among equals the one that holds (scenario 62)',
    async ({ expect }) => {
      const world = await suite.world('two');
      const open = [Date.now() - hour, Date.now() + hour] as const;
      await world.apply(
        suspendPolicy('open', { schedule: openDuring(open), precedence: 1 }),
        suspendPolicy('closed', { schedule: openDuring() }),
        batchJob('etl'),
      );
      await world.untilRunning('etl');
      await expect
        .poll(async () => (await policyOf(world, 'closed'))?.status)
        .toMatchObject({
          held: 0,
          conflicts: [{ objects: 1, decides: `SuspendPolicy/${world.namespace}/open` }],
        });
      // One policy reports its status before or after the other one resumes the Job.
      await world.untilJob('etl', 'is not suspended', ({ spec }) => spec.suspend === false);
      await world.patch('SuspendPolicy', 'open', { spec: { precedence: 0 } });
      await world.untilJob('etl', 'is Suspended', (job) => has(job, 'Suspended'));
      await world.delete('SuspendPolicy', 'closed');
      await world.untilRunning('etl');
    },
  );

  it.concurrent(
    'leaves alone what something else manages, and says how much that is (scenario 66)',
    async ({ expect }) => {
      const world = await suite.world('managed');
      const queued = batchJob('queued', { labels: { 'kueue.x-k8s.io/queue-name': 'q' } });
      await world.apply(
        queued,
        batchJob('elsewhere', { job: { managedBy: 'example.com/other' } }),
        batchJob('usual'),
      );
      await world.apply(suspendPolicy('closed', { schedule: openDuring() }));
      await world.untilJob('usual', 'is Suspended', (job) => has(job, 'Suspended'));
      await expect
        .poll(async () => (await policyOf(world, 'closed'))?.status)
        .toMatchObject({ selected: 1, held: 1 });
      const others = ['queued', 'elsewhere'].map((name) => world.job(name)?.spec.suspend);
      expect(others).toEqual([false, false]);
    },
  );

  it.concurrent(
    'holds the run of a CronJob, whose next run is skipped, and reports it on the CronJob (scenario 66)',
    async ({ expect }) => {
      const world = await suite.world('cron');
      await world.apply(suspendPolicy('closed', { schedule: openDuring() }));
      const { spec } = batchJob('run');
      const cronJob = {
        apiVersion: 'batch/v1',
        kind: 'CronJob',
        metadata: { name: 'minutely' },
        spec: { schedule: '* * * * *', concurrencyPolicy: 'Forbid', jobTemplate: { spec } },
      };
      await world.kubectl(['create', '-f', '-'], JSON.stringify(cronJob));
      // As if the CronJob had missed its last time, so that it starts that run at once.
      const lastScheduleTime = new Date(Date.now() - 150_000).toISOString();
      const missed = JSON.stringify({ status: { lastScheduleTime } });
      const patch = ['patch', 'cronjob', 'minutely', '--subresource=status', '--type=merge'];
      await world.kubectl([...patch, '-p', missed]);
      const eventsOf = async (name: string) =>
        (await world.events())
          .filter(({ involvedObject }) => involvedObject?.name === name)
          .map(({ reason }) => reason);
      const held = await world.until(
        'a run is held',
        () => world.jobs().find((job) => has(job, 'Suspended')),
        aMinuteAndMoreMs,
      );
      const { name } = held.metadata;
      expect(noteOn(world, name)).toContain('WindowClosed');
      expect(await eventsOf(name)).toContain('HeldByPolicy');
      // The CronJob controller reports the run that it skips.
      await expect
        .poll(() => eventsOf('minutely'), { timeout: aMinuteAndMoreMs, interval: 1_000 })
        .toContain('JobAlreadyActive');
      expect(await eventsOf('minutely')).toContain('HeldByPolicy');
      expect(world.jobs().map(({ metadata }) => metadata.name)).toEqual([name]);
      await world.delete('SuspendPolicy', 'closed');
      await world.untilRunning(name);
      // Nothing else would end the Job.
      await world.kubectl(['delete', 'cronjob', 'minutely']);
    },
  );

  it.concurrent(
    'suspends and resumes a Job three times without a fault of its status (scenario 68)',
    async ({ expect }) => {
      const world = await suite.world('thrice');
      await world.apply(batchJob('etl'));
      await world.untilRunning('etl');
      const now = Date.now();
      const closed = openDuring([now - 2 * hour, now - hour]);
      const open = openDuring([now - hour, now + hour]);
      for (let times = 0; times < 3; times += 1) {
        await world.apply(suspendPolicy('often', { schedule: closed }));
        await world.until('it is suspended', () => has(world.job('etl'), 'Suspended'));
        await world.apply(suspendPolicy('often', { schedule: open }));
        await world.untilRunning('etl');
      }
      const { status } = world.job('etl') ?? {};
      expect(status?.failed ?? 0).toBe(0);
      expect(has(world.job('etl'), 'Failed')).toBe(false);
    },
  );
});
