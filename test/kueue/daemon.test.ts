/**
 * DaemonJobs in a queue of a real Kueue run on as many nodes as were admitted, on those of the flavor, and while they
 * are admitted.
 */
import { beforeAll, expect, it, vi } from 'vitest';
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import { conditionOf } from '#functions/kueue-workload-sync/workload.ts';
import { daemonJob } from '#test/support/daemons/daemon-manifest.ts';
import { addSeen } from '#test/support/daemons/seen-nodes.ts';
import { poolLabel, TestNodes } from '#test/support/daemons/test-nodes.ts';
import { untilEnded } from '#test/support/flow-world.ts';
import { describeKueue } from '#test/support/kueue/kueue-suite.ts';
import { container, queued, workloadOf, workloadsIn } from '#test/support/kueue/queued.ts';
import { clusterQueue, localQueue, resourceFlavor } from '#test/support/kueue/queues.ts';

const isIn =
  (state: string) =>
  ({ status }: DaemonJob) =>
    status?.state === state;
const oneCpu = { pod: { containers: [container('1')] } };
const long = { ...oneCpu, runFor: untilEnded };

describeKueue('a DaemonJob in a queue of Kueue', (suite) => {
  const { apply } = suite;
  beforeAll(async () => {
    await apply([
      resourceFlavor('default'),
      clusterQueue('roomy', { default: '8' }),
      clusterQueue('narrow', { default: '2' }),
      resourceFlavor('of-zone', { 'test.millrace.dev/zone': 'z' }),
      clusterQueue('placed', { 'of-zone': '8' }),
    ]);
  });

  const open = async (
    about: string,
    onFinished: (cleanUp: () => Promise<void>) => void,
    of = 'roomy',
  ) => {
    const world = await suite.world(about);
    await apply([localQueue('main', of)], '-n', world.namespace);
    const nodes = new TestNodes(suite.api(), world.namespace, onFinished);
    return { world, nodes };
  };

  it.concurrent(
    'has a podSet with a Pod for each node, gives back the quota of each that succeeds, and is finished',
    async ({ onTestFinished }) => {
      const { world, nodes } = await open('whole', onTestFinished);
      const names = await addSeen(world, nodes, ['a', 'b', 'c']);
      await world.apply(queued(daemonJob('scan', nodes.pool, long)));
      for (const name of names) await world.untilRunning(`scan-${name}`);
      await world.endPod(`scan-${names[0]}`);
      await vi.waitFor(async () => {
        const { status } = (await workloadOf(world, 'scan'))!;
        expect(status?.reclaimablePods).toEqual([{ name: 'nodes', count: 1 }]);
      });
      for (const name of names.slice(1)) await world.endPod(`scan-${name}`);
      const ended = await world.untilDaemonJob('scan', 'ends', isIn('Succeed'));
      expect(ended.status).toMatchObject({ desired: 3, succeeded: 3 });
      const finished = await vi.waitFor(async () => {
        const found = await workloadOf(world, 'scan');
        expect(found?.metadata.finalizers).toBeUndefined();
        return found!;
      });
      expect(finished.spec.podSets.map(({ name, count }) => [name, count])).toEqual([['nodes', 3]]);
      expect(conditionOf(finished, 'Finished')).toMatchObject({
        status: 'True',
        reason: 'Succeeded',
      });
    },
  );

  it.concurrent(
    'is admitted with no Pod at all where it may have no node',
    async ({ onTestFinished }) => {
      const { world, nodes } = await open('empty', onTestFinished);
      await world.apply(queued(daemonJob('scan', nodes.pool, { ...oneCpu, allowEmpty: true })));
      await world.untilDaemonJob('scan', 'ends', isIn('Succeed'));
      const { spec } = (await workloadOf(world, 'scan'))!;
      expect(spec.podSets.map(({ name, count }) => [name, count])).toEqual([['nodes', 0]]);
    },
  );

  it.concurrent('waits for quota for all of its nodes, and says so', async ({ onTestFinished }) => {
    const { world, nodes } = await open('quota', onTestFinished, 'narrow');
    const [a, b, c] = await addSeen(world, nodes, ['a', 'b', 'c']);
    await world.apply(queued(daemonJob('wide', nodes.pool, long)));
    const held = await world.untilDaemonJob(
      'wide',
      'says why it waits',
      ({ status }) =>
        status?.reason === 'Queued' && status.message?.includes('insufficient') === true,
    );
    expect(held.status).toMatchObject({ state: 'Suspended', desired: 3 });
    expect(world.pods()).toEqual([]);
    await world.patch('DaemonJob', 'wide', { spec: { excludeNodeList: c } });
    for (const node of [a, b]) {
      await world.untilRunning(`wide-${node}`);
      await world.endPod(`wide-${node}`);
    }
    await world.untilDaemonJob('wide', 'ends', isIn('Succeed'));
  });

  it.concurrent(
    'leaves out a node that comes while it is admitted, and says so',
    async ({ onTestFinished }) => {
      const { world, nodes } = await open('later', onTestFinished);
      const [a] = await nodes.add(['a']);
      await world.apply(queued(daemonJob('scan', nodes.pool, long)));
      await world.untilRunning(`scan-${a}`);
      const before = await workloadOf(world, 'scan');
      const [b] = await nodes.add(['b']);
      await world.untilDaemonJob(
        'scan',
        'names the node',
        ({ status }) =>
          status?.nodes?.some(({ name, reason }) => name === b && reason === 'NotAdmitted') ===
          true,
      );
      await world.endPod(`scan-${a}`);
      const ended = await world.untilDaemonJob('scan', 'ends', isIn('Succeed'));
      expect(ended.status).toMatchObject({ desired: 1, succeeded: 1, skipped: 1 });
      const after = await workloadOf(world, 'scan');
      expect(after?.metadata.uid).toBe(before?.metadata.uid);
    },
  );

  it.concurrent(
    'runs on no node for one that has succeeded and is removed: its quota was returned',
    async ({ onTestFinished }) => {
      const { world, nodes } = await open('replaced', onTestFinished);
      const [a, b] = await addSeen(world, nodes, ['a', 'b']);
      await world.apply(queued(daemonJob('scan', nodes.pool, long)));
      await world.untilRunning(`scan-${a}`);
      await world.untilRunning(`scan-${b}`);
      await world.endPod(`scan-${a}`);
      await vi.waitFor(async () => {
        const { status } = (await workloadOf(world, 'scan'))!;
        expect(status?.reclaimablePods).toEqual([{ name: 'nodes', count: 1 }]);
      });
      await nodes.remove(a!);
      const [c] = await nodes.add(['c']);
      await world.untilDaemonJob(
        'scan',
        'names the node',
        ({ status }) =>
          status?.nodes?.some(({ name, reason }) => name === c && reason === 'NotAdmitted') ===
          true,
      );
      await world.endPod(`scan-${b}`);
      await world.untilDaemonJob('scan', 'ends', isIn('Succeed'));
      expect(await world.namesEverCreated()).toHaveLength(2);
    },
  );

  it.concurrent(
    'runs on the nodes of the flavor that Kueue has assigned',
    async ({ onTestFinished }) => {
      const { world, nodes } = await open('placed', onTestFinished, 'placed');
      const [z] = await nodes.add(['z'], { labels: { 'test.millrace.dev/zone': 'z' } });
      await nodes.add(['other']);
      await world.apply(queued(daemonJob('here', nodes.pool, long)));
      const pod = await world.untilRunning(`here-${z}`);
      expect(pod.spec).toMatchObject({
        nodeSelector: { [poolLabel]: nodes.pool, 'test.millrace.dev/zone': 'z' },
      });
      expect(pod.metadata.labels).toMatchObject({ 'kueue.x-k8s.io/podset': 'nodes' });
      await world.endPod(`here-${z}`);
      const ended = await world.untilDaemonJob('here', 'ends', isIn('Succeed'));
      expect(ended.status).toMatchObject({ desired: 1, succeeded: 1 });
    },
  );

  it.concurrent(
    'gives its quota back when it is made inactive, and goes on where it was',
    async ({ onTestFinished }) => {
      const { world, nodes } = await open('inactive', onTestFinished);
      const [a, b] = await addSeen(world, nodes, ['a', 'b']);
      await world.apply(queued(daemonJob('scan', nodes.pool, { ...long, parallelism: 1 })));
      await world.untilRunning(`scan-${a}`);
      await world.endPod(`scan-${a}`);
      await world.untilRunning(`scan-${b}`);
      const workload = await workloadOf(world, 'scan');
      await world.patch('Workload', workload!.metadata.name, { spec: { active: false } });
      await world.until('its Pods are gone', () => world.pods(`scan-${b}`).length === 0);
      await vi.waitFor(async () => {
        const evicted = await workloadOf(world, 'scan');
        expect(conditionOf(evicted!, 'QuotaReserved')?.status).toBe('False');
      });
      expect(world.daemonJob('scan')?.spec).toMatchObject({ suspend: true });
      expect(world.daemonJob('scan')?.spec.podSetInfos).toBeUndefined();
      await world.patch('Workload', workload!.metadata.name, { spec: { active: true } });
      await world.untilRunning(`scan-${b}`);
      await world.endPod(`scan-${b}`);
      await world.untilDaemonJob('scan', 'ends', isIn('Succeed'));
      expect(await world.namesEverCreated()).toHaveLength(2);
    },
  );

  it.concurrent(
    'is refused a Workload where it never ends, and says what to do',
    async ({ onTestFinished }) => {
      const { world, nodes } = await open('endless', onTestFinished);
      await nodes.add(['a']);
      await world.apply(
        queued(daemonJob('watch', nodes.pool, { ...oneCpu, completionPolicy: 'Never' })),
      );
      await world.untilDaemonJob(
        'watch',
        'says why',
        ({ status }) => status?.message?.includes('set Always, or take the label away') === true,
      );
      expect(await workloadsIn(world)).toEqual([]);
    },
  );

  it.concurrent(
    'leaves no Workload when it is deleted while it runs',
    async ({ onTestFinished }) => {
      const { world, nodes } = await open('deleted', onTestFinished);
      const [a] = await nodes.add(['a']);
      await world.apply(queued(daemonJob('gone', nodes.pool, long)));
      await world.untilRunning(`gone-${a}`);
      await world.delete('DaemonJob', 'gone');
      await vi.waitFor(async () => expect(await workloadsIn(world)).toEqual([]));
    },
  );
});
