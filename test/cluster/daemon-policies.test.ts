import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import { annotations } from '#shared/domain/labels.ts';
import { daemonJob } from '#test/support/daemons/daemon-manifest.ts';
import { addSeen } from '#test/support/daemons/seen-nodes.ts';
import { TestNodes } from '#test/support/daemons/test-nodes.ts';
import { describeFlows } from '#test/support/flow-suite.ts';
import { has, untilEnded, type FlowWorld } from '#test/support/flow-world.ts';
import { holdQuota } from '#test/support/held-quota.ts';
import { batchJob } from '#test/support/suspension/suspend-manifests.ts';

const isIn =
  (state: string) =>
  ({ status }: DaemonJob) =>
    status?.state === state;
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `n${10 + index}`);
const entryOf = (world: FlowWorld, name: string, node: string) =>
  world.daemonJob(name)?.status?.nodes?.find((entry) => entry.name === node);

/** The largest number of unfinished Jobs at any time, by every stored version. */
function mostAtOnce(world: FlowWorld): number {
  const open = new Set<string>();
  let most = 0;
  for (const { type, object } of world.jobSightings()) {
    const hasEnded = type === 'DELETED' || has(object, 'Complete') || has(object, 'Failed');
    if (hasEnded) open.delete(object.metadata.uid);
    else open.add(object.metadata.uid);
    most = Math.max(most, open.size);
  }
  return most;
}

/** Keeps a Job in deletion. */
const finalizer = 'example.com/held';

describeFlows('the policies of a DaemonJob', (suite) => {
  it.concurrent(
    'runs on a share of the nodes at once, in the order of their names (scenario 50, kruise#582)',
    async ({ onTestFinished }) => {
      const world = await suite.world('share');
      const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
      const names = await addSeen(world, nodes, numbered(25));
      await world.apply(daemonJob('rolls', nodes.pool, { parallelism: '10%' }));
      const ended = await world.untilDaemonJob('rolls', 'ends', isIn('Succeed'));
      expect(ended.status).toMatchObject({ desired: 25, succeeded: 25 });
      expect(mostAtOnce(world)).toBe(3);
      const created = await world.jobsEverCreated();
      expect(created).toHaveLength(25);
      const order = created.toSorted((left, right) => left.answeredAtMs - right.answeredAtMs);
      // Jobs of one stage are created at the same time, at most three of them.
      const displaced = order.map(({ name }, at) => Math.abs(names.indexOf(name.slice(6)) - at));
      expect(Math.max(...displaced)).toBeLessThan(3);
    },
  );

  it.concurrent(
    'goes on where one node fails, and has failed at the end (scenario 51, Continue)',
    async ({ onTestFinished }) => {
      const world = await suite.world('continue');
      const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
      const [a, b, c] = await nodes.add(['a', 'b', 'c']);
      await world.apply(daemonJob('goes-on', nodes.pool, { runFor: untilEnded }));
      await world.untilRunning(`goes-on-${a}`);
      await world.endPod(`goes-on-${a}`, 3);
      await world.untilDaemonJob(
        'goes-on',
        'has a failed node',
        ({ status }) => status?.failed === 1,
      );
      expect(world.daemonJob('goes-on')?.status?.state).toBe('Running');
      await world.untilRunning(`goes-on-${b}`);
      await world.endPod(`goes-on-${b}`);
      await world.untilRunning(`goes-on-${c}`);
      await world.endPod(`goes-on-${c}`);
      const ended = await world.untilDaemonJob('goes-on', 'ends', isIn('Failed'));
      expect(ended.status).toMatchObject({ succeeded: 2, failed: 1, reason: 'NodeFailed' });
      expect(entryOf(world, 'goes-on', a!)).toMatchObject({
        state: 'Failed',
        reason: 'BackoffLimitExceeded',
        message: expect.stringContaining('exit') as string,
      });
      const events = await world.events();
      const said = events.find(({ reason }) => reason === 'Failed')?.message;
      expect(said).toContain(`annotate mdj goes-on ${annotations.retry}=1 --overwrite`);
    },
  );

  it.concurrent(
    'deletes the rest where one node fails (scenario 51, FailFast, argo#13806)',
    async ({ onTestFinished }) => {
      const world = await suite.world('fail-fast');
      const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
      const [a, b, c] = await addSeen(world, nodes, ['a', 'b', 'c']);
      const options = { runFor: untilEnded, parallelism: 2, failurePolicy: 'FailFast' } as const;
      await world.apply(daemonJob('stops', nodes.pool, options));
      await world.untilRunning(`stops-${a}`);
      await world.untilRunning(`stops-${b}`);
      await world.endPod(`stops-${a}`, 1);
      const ended = await world.untilDaemonJob('stops', 'ends', isIn('Failed'));
      expect(world.job(`stops-${b}`)).toBeUndefined();
      expect(world.job(`stops-${c}`)).toBeUndefined();
      expect(ended.status).toMatchObject({ active: 0, failed: 2 });
      expect(entryOf(world, 'stops', b!)).toMatchObject({ state: 'Cancelled' });
      expect(await world.namesEverCreated()).toHaveLength(2);
    },
  );

  it.concurrent(
    'starts nothing more where one node fails, until it is retried by hand (scenario 51, Pause)',
    async ({ onTestFinished }) => {
      const world = await suite.world('pause');
      const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
      const [a, b] = await addSeen(world, nodes, ['a', 'b']);
      const options = { runFor: untilEnded, parallelism: 1, failurePolicy: 'Pause' } as const;
      await world.apply(daemonJob('holds', nodes.pool, options));
      await world.untilRunning(`holds-${a}`);
      await world.endPod(`holds-${a}`, 1);
      const held = await world.untilDaemonJob('holds', 'holds', isIn('Suspended'));
      expect(held.status?.reason).toBe('NodeFailed');
      await world.throughout(
        1_000,
        'it holds',
        () => world.daemonJob('holds')?.status?.state === 'Suspended' && world.jobs().length === 1,
      );
      const retry = { metadata: { annotations: { [annotations.retry]: '1' } } };
      await world.patch('DaemonJob', 'holds', retry);
      const again = await world.until('a second Job of the failed node', () =>
        world
          .jobs()
          .find(
            ({ metadata }) =>
              metadata.annotations?.[annotations.nodeName] === a && metadata.name !== `holds-${a}`,
          ),
      );
      await world.untilRunning(again.metadata.name);
      await world.endPod(again.metadata.name);
      await world.untilRunning(`holds-${b}`);
      await world.endPod(`holds-${b}`);
      const ended = await world.untilDaemonJob('holds', 'ends', isIn('Succeed'));
      expect(ended.status).toMatchObject({ succeeded: 2, failed: 0 });
      expect(await world.namesEverCreated()).toHaveLength(3);
    },
  );

  it.concurrent(
    'stops what runs while it is suspended, and runs it again (three times, kubernetes#134521)',
    async ({ onTestFinished }) => {
      const world = await suite.world('suspended');
      const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
      const [a, b] = await addSeen(world, nodes, ['a', 'b']);
      await world.apply(daemonJob('rests', nodes.pool, { runFor: untilEnded, parallelism: 1 }));
      for (let times = 0; times < 3; times += 1) {
        await world.untilRunning(`rests-${a}`);
        await world.patch('DaemonJob', 'rests', { spec: { suspend: true } });
        await world.untilJob(`rests-${a}`, 'is Suspended', (job) => has(job, 'Suspended'));
        await world.untilDaemonJob('rests', 'rests', ({ status }) =>
          (status?.conditions ?? []).some(
            ({ type, status: holds }) => type === 'Suspended' && holds === 'True',
          ),
        );
        expect(world.job(`rests-${b}`)).toBeUndefined();
        await world.patch('DaemonJob', 'rests', { spec: { suspend: false } });
      }
      await world.untilRunning(`rests-${a}`);
      await world.endPod(`rests-${a}`);
      await world.untilRunning(`rests-${b}`);
      await world.endPod(`rests-${b}`);
      await world.untilDaemonJob('rests', 'ends', isIn('Succeed'));
      expect(await world.namesEverCreated()).toEqual([`rests-${a}`, `rests-${b}`]);
    },
  );

  it.concurrent('lets what runs finish while it is paused', async ({ onTestFinished }) => {
    const world = await suite.world('paused');
    const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
    const [a, b] = await addSeen(world, nodes, ['a', 'b']);
    await world.apply(daemonJob('breathes', nodes.pool, { runFor: untilEnded, parallelism: 1 }));
    await world.untilRunning(`breathes-${a}`);
    await world.patch('DaemonJob', 'breathes', { spec: { paused: true } });
    await world.untilDaemonJob(
      'breathes',
      'is paused',
      ({ status }) => status?.reason === 'Paused',
    );
    await world.endPod(`breathes-${a}`);
    await world.untilDaemonJob('breathes', 'has one done', ({ status }) => status?.succeeded === 1);
    expect(world.jobs()).toHaveLength(1);
    await world.patch('DaemonJob', 'breathes', { spec: { paused: false } });
    await world.untilRunning(`breathes-${b}`);
    await world.endPod(`breathes-${b}`);
    await world.untilDaemonJob('breathes', 'ends', isIn('Succeed'));
  });

  it.concurrent(
    'ends at its deadline although nothing happens (kruise#1409)',
    async ({ onTestFinished }) => {
      const world = await suite.world('deadline');
      const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
      const [a] = await nodes.add(['a']);
      await world.apply(
        daemonJob('late', nodes.pool, { runFor: untilEnded, activeDeadlineSeconds: 3 }),
      );
      const ended = await world.untilDaemonJob('late', 'ends', isIn('Failed'));
      expect(ended.status?.reason).toBe('DeadlineExceeded');
      expect(world.job(`late-${a}`)).toBeUndefined();
    },
  );

  it.concurrent(
    'is deleted with its Jobs some time after its end, and may be deleted at any time',
    async ({ onTestFinished }) => {
      const world = await suite.world('removed');
      const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
      const [a] = await nodes.add(['a']);
      await world.apply(
        daemonJob('short', nodes.pool, { ttlSecondsAfterFinished: 1 }),
        daemonJob('early', nodes.pool, { runFor: untilEnded }),
      );
      await world.untilRunning(`early-${a}`);
      await world.patch('Job', `early-${a}`, { metadata: { finalizers: [finalizer] } });
      await world.delete('DaemonJob', 'early', 'Foreground');
      await world.untilDaemonJob('early', 'waits for its Job', isIn('Terminating'));
      await world.patch('Job', `early-${a}`, { metadata: { finalizers: null } });
      await world.until('both are gone', () => {
        const names = ['short', 'early'];
        return (
          names.every((name) => world.daemonJob(name) === undefined) && world.jobs().length === 0
        );
      });
    },
  );

  it.concurrent(
    'deletes the Job of a node that is excluded while it runs; one that ended stays',
    async ({ onTestFinished }) => {
      const world = await suite.world('exclude');
      const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
      const [a, b, c] = await nodes.add(['a', 'b', 'c']);
      await world.apply(daemonJob('narrows', nodes.pool, { runFor: untilEnded }));
      for (const node of [a, b, c]) await world.untilRunning(`narrows-${node}`);
      await world.endPod(`narrows-${a}`);
      await world.untilDaemonJob(
        'narrows',
        'has one done',
        ({ status }) => status?.succeeded === 1,
      );
      await world.patch('DaemonJob', 'narrows', { spec: { excludeNodeList: `${a},${b}` } });
      await world.untilGone(`narrows-${b}`);
      await world.endPod(`narrows-${c}`);
      const ended = await world.untilDaemonJob('narrows', 'ends', isIn('Succeed'));
      expect(ended.status).toMatchObject({ desired: 2, succeeded: 2 });
      expect(world.job(`narrows-${a}`)).toBeDefined();
    },
  );

  it.concurrent(
    'has failed on a node whose Job a user deletes, and never runs where it succeeded',
    async ({ onTestFinished }) => {
      const world = await suite.world('vanished');
      const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
      const [a, b] = await nodes.add(['a', 'b']);
      await world.apply(daemonJob('loses', nodes.pool, { runFor: untilEnded }));
      await world.untilRunning(`loses-${a}`);
      await world.untilRunning(`loses-${b}`);
      await world.endPod(`loses-${a}`);
      await world.untilDaemonJob('loses', 'has one done', ({ status }) => status?.succeeded === 1);
      await world.delete('Job', `loses-${a}`);
      await world.delete('Job', `loses-${b}`);
      await world.untilDaemonJob('loses', 'ends', isIn('Failed'));
      expect(entryOf(world, 'loses', b!)).toMatchObject({
        state: 'Failed',
        reason: 'ChildDeleted',
      });
      expect(entryOf(world, 'loses', a!)).toBeUndefined();
      expect(await world.namesEverCreated()).toHaveLength(2);
    },
  );

  it.concurrent(
    'goes on where the quota allows it again, and counts no Job that was refused (kruise#2414)',
    async ({ onTestFinished }) => {
      const world = await suite.world('quota');
      const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
      await addSeen(world, nodes, numbered(6));
      const resource = 'count/jobs.batch';
      await holdQuota(world, { name: 'jobs', resource, most: 2, trial: batchJob('trial') });
      await world.apply(daemonJob('rationed', nodes.pool, { runFor: '200ms' }));
      const held = await world.untilDaemonJob('rationed', 'is held up', ({ status }) =>
        (status?.conditions ?? []).some(
          ({ type, reason }) => type === 'Blocked' && reason === 'QuotaExceeded',
        ),
      );
      expect(held.status?.active ?? 0).toBeLessThanOrEqual(2);
      await world.kubectl(['delete', 'quota', 'jobs']);
      const ended = await world.untilDaemonJob('rationed', 'ends', isIn('Succeed'), 60_000);
      expect(ended.status).toMatchObject({ desired: 6, succeeded: 6 });
      expect(await world.namesEverCreated()).toHaveLength(6);
    },
  );

  it('asks the API server at most 1.2 times for each node', async ({ onTestFinished }) => {
    const world = await suite.world('thrifty');
    const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
    const names = await nodes.add(Array.from({ length: 100 }, (_, index) => `n${100 + index}`));
    await world.apply(daemonJob('thrifty', nodes.pool, { runFor: '1s' }));
    await world.untilDaemonJob('thrifty', 'ends', isIn('Succeed'));
    const asked = await world.requests({ user: 'daemon-fanout' });
    const creates = asked.filter(({ verb, resource }) => verb === 'create' && resource === 'jobs');
    expect(creates).toHaveLength(names.length);
    expect(asked.length).toBeLessThanOrEqual(1.2 * names.length);
  });

  it('runs nowhere twice after FLUSHALL and a restart (scenario 35)', async ({
    onTestFinished,
  }) => {
    const world = await suite.world('forgets');
    const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
    const names = await nodes.add(numbered(4));
    await world.apply(daemonJob('remembers', nodes.pool, { runFor: '2s', parallelism: 2 }));
    await world.untilRunning(`remembers-${names[0]}`);
    const redis = new Redis(suite.redis().url);
    await redis.flushall();
    await redis.quit();
    await suite.stopMillrace();
    await suite.startMillrace();
    await world.untilDaemonJob('remembers', 'ends', isIn('Succeed'));
    expect((await world.namesEverCreated()).toSorted()).toEqual(
      names.map((name) => `remembers-${name}`),
    );
  });
});
