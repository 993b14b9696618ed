import { expect, it } from 'vitest';
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import { daemonJob } from '#test/support/daemons/daemon-manifest.ts';
import { addSeen } from '#test/support/daemons/seen-nodes.ts';
import { TestNodes } from '#test/support/daemons/test-nodes.ts';
import { describeFlows } from '#test/support/flow-suite.ts';
import { untilEnded } from '#test/support/flow-world.ts';

const isIn =
  (state: string) =>
  ({ status }: DaemonJob) =>
    status?.state === state;
const isShuttingDown = ({ status }: DaemonJob) => status?.reason === 'ShuttingDown';
const oneByOne = { runFor: untilEnded, parallelism: 1 };

describeFlows('spec.shutdown of a DaemonJob', (suite) => {
  it.concurrent(
    'Stop lets what runs finish, starts no other node, and keeps the record (rule 25)',
    async ({ onTestFinished }) => {
      const world = await suite.world('daemon-stop');
      const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
      const [a] = await addSeen(world, nodes, ['a', 'b']);
      await world.apply(daemonJob('stops', nodes.pool, oneByOne));
      await world.untilRunning(`stops-${a}`);
      await world.patch('DaemonJob', 'stops', { spec: { shutdown: 'Stop' } });
      await world.untilDaemonJob('stops', 'is shut down', isShuttingDown);
      await world.endPod(`stops-${a}`);
      const { status } = await world.untilDaemonJob('stops', 'ends', isIn('Failed'));
      expect(status).toMatchObject({ reason: 'Shutdown', succeeded: 1, waiting: 1 });
      expect(world.jobs()).toHaveLength(1);
    },
  );

  it.concurrent(
    'Terminate deletes what runs, also with completionPolicy Never, and a retry runs it once it is removed (rules 13 and 25)',
    async ({ onTestFinished }) => {
      const world = await suite.world('daemon-terminate');
      const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
      const [a] = await nodes.add(['a']);
      const endless = { runFor: untilEnded, completionPolicy: 'Never' } as const;
      await world.apply(daemonJob('ends', nodes.pool, endless));
      await world.untilRunning(`ends-${a}`);
      await world.patch('DaemonJob', 'ends', { spec: { shutdown: 'Terminate' } });
      const { status } = await world.untilDaemonJob('ends', 'ends', isIn('Failed'));
      expect(status).toMatchObject({ reason: 'Shutdown', failed: 1 });
      await world.untilGone(`ends-${a}`);
      await world.kubectl(['annotate', 'mdj', 'ends', 'millrace.dev/retry=1']);
      await world.untilDaemonJob(
        'ends',
        'refuses the retry',
        (seen) =>
          seen.status?.conditions?.some(
            ({ type, status: is, reason }) =>
              type === 'RetryRefused' && is === 'True' && reason === 'Shutdown',
          ) === true,
      );
      await world.patch('DaemonJob', 'ends', {
        metadata: { annotations: { 'millrace.dev/retry': '2' } },
        spec: { shutdown: null },
      });
      await world.untilDaemonJob('ends', 'runs again', ({ status: now }) => now?.active === 1);
    },
  );

  it.concurrent(
    'ends a suspended DaemonJob, whose Jobs would wait for ever, and one before its start (rule 25)',
    async ({ onTestFinished }) => {
      const world = await suite.world('daemon-held');
      const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
      const [a] = await nodes.add(['a']);
      await world.apply(
        daemonJob('held', nodes.pool, { runFor: untilEnded }),
        daemonJob('never', nodes.pool, { shutdown: 'Stop' }),
      );
      await world.untilRunning(`held-${a}`);
      await world.patch('DaemonJob', 'held', { spec: { suspend: true } });
      await world.untilDaemonJob('held', 'is suspended', isIn('Suspended'));
      await world.patch('DaemonJob', 'held', { spec: { shutdown: 'Stop' } });
      const held = await world.untilDaemonJob('held', 'ends', isIn('Failed'));
      expect(held.status?.reason).toBe('Shutdown');
      await world.untilGone(`held-${a}`);
      const never = await world.untilDaemonJob('never', 'ends', isIn('Failed'));
      expect(never.status).toMatchObject({ reason: 'Shutdown' });
      expect(never.status?.startTime).toBeUndefined();
    },
  );
});
