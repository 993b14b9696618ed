import { expect, it } from 'vitest';
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import { daemonJob } from '#test/support/daemons/daemon-manifest.ts';
import { addSeen } from '#test/support/daemons/seen-nodes.ts';
import { TestNodes } from '#test/support/daemons/test-nodes.ts';
import { describeFlows } from '#test/support/flow-suite.ts';
import { has, untilEnded, type FlowWorld } from '#test/support/flow-world.ts';

const isIn =
  (state: string) =>
  ({ status }: DaemonJob) =>
    status?.state === state;
const entryOf = (world: FlowWorld, name: string, node: string) =>
  world.daemonJob(name)?.status?.nodes?.find((entry) => entry.name === node);
const conditionOf = (world: FlowWorld, name: string, type: string) =>
  world.daemonJob(name)?.status?.conditions?.find((condition) => condition.type === type);

describeFlows('a DaemonJob and the nodes of the cluster', (suite) => {
  it.concurrent(
    'runs on every node that is not excluded, under the names of the seed (scenarios 10 and 41)',
    async ({ onTestFinished }) => {
      const world = await suite.world('seed-daemon');
      const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
      await nodes.addNamed(['vm-0-12-centos', 'vm-0-17-centos', 'node1', 'node2']);
      const manifest = daemonJob('daemonjob-example', nodes.pool, {
        excludeNodeList: 'node1, node2',
        runFor: '4s',
        pod: {
          restartPolicy: 'OnFailure',
          nodeSelector: { 'test.millrace.dev/pool': nodes.pool },
        },
        globalParams: {
          env: [{ name: 'FOO', value: 'bar' }],
          labels: { key1: 'value1' },
          annotations: { key1: 'value1' },
        },
      });
      await world.apply(manifest);
      await world.untilDaemonJob('daemonjob-example', 'runs', isIn('Running'));
      const ended = await world.untilDaemonJob('daemonjob-example', 'ends', isIn('Succeed'));
      expect((await world.namesEverCreated()).toSorted()).toEqual([
        'daemonjob-example-vm-0-12-centos',
        'daemonjob-example-vm-0-17-centos',
      ]);
      expect(ended.status).toMatchObject({ desired: 2, succeeded: 2, active: 0, skipped: 0 });
      for (const job of world.jobs()) {
        expect(job.metadata.labels).toMatchObject({ key1: 'value1' });
        expect(job.spec.backoffLimit).toBe(0);
        expect(job.spec.template.spec.restartPolicy).toBe('Never');
        expect(job.spec.template.spec.containers[0]?.env).toEqual([{ name: 'FOO', value: 'bar' }]);
      }
      expect(
        world
          .pods()
          .map(({ spec }) => spec.nodeName)
          .sort(),
      ).toEqual(['vm-0-12-centos', 'vm-0-17-centos']);
    },
  );

  it.concurrent(
    'takes an untidy list of excluded nodes as it is meant, and reports unknown ones (scenario 42)',
    async ({ onTestFinished }) => {
      const world = await suite.world('excluded');
      const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
      const [a, b, c] = await addSeen(world, nodes, ['a', 'b', 'c']);
      const excludeNodeList = ` ${a} ,,${b}, , no-such-node`;
      await world.apply(daemonJob('tidy', nodes.pool, { excludeNodeList }));
      await world.untilDaemonJob('tidy', 'ends', isIn('Succeed'));
      expect(await world.namesEverCreated()).toEqual([`tidy-${c}`]);
      expect(conditionOf(world, 'tidy', 'UnknownExcludedNode')).toMatchObject({
        status: 'True',
        message: expect.stringContaining('no-such-node') as string,
      });
      expect(conditionOf(world, 'tidy', 'UnknownExcludedNode')?.message).not.toContain(`${a}`);
    },
  );

  it.concurrent(
    'gives a node whose name is too long or has dots a Job of its own, which lands there (scenario 43)',
    async ({ onTestFinished }) => {
      const world = await suite.world('names');
      const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
      const long = `ip-172-31-37-227.ap-northeast-1.${nodes.pool}.compute.internal`;
      const [dot, dash] = [`${nodes.pool}.b`, `${nodes.pool}-b`];
      await nodes.addNamed([long, dot, dash]);
      await world.apply(daemonJob('daemonjob-example', nodes.pool));
      await world.untilDaemonJob('daemonjob-example', 'ends', isIn('Succeed'));
      const jobs = new Map(
        world
          .jobs()
          .map(({ metadata }) => [metadata.annotations?.[annotations.nodeName], metadata]),
      );
      expect([...jobs.keys()].sort()).toEqual([long, dot, dash].sort());
      expect(jobs.get(dash)?.name).toBe(`daemonjob-example-${dash}`);
      expect(jobs.get(long)?.name).toMatch(
        /^daemonjob-example-ip-172-31-37-227-ap-nor-[0-9a-f]{8}$/,
      );
      const placed = world
        .pods()
        .map(({ metadata, spec }) => [
          metadata.labels?.['batch.kubernetes.io/job-name'],
          spec.nodeName,
        ]);
      expect(new Map(placed as [string, string][])).toEqual(
        new Map([long, dot, dash].map((node) => [jobs.get(node)!.name, node])),
      );
    },
  );

  it.concurrent(
    'skips a node whose taint it does not tolerate, and takes it with eligibility All (scenario 44)',
    async ({ onTestFinished }) => {
      const world = await suite.world('tainted');
      const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
      const taint = { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' };
      const [plane] = await nodes.add(['plane'], { taints: [taint] });
      const [worker] = await nodes.add(['worker']);
      await world.apply(
        daemonJob('fitting', nodes.pool),
        daemonJob('all', nodes.pool, { eligibility: 'All' }),
        daemonJob('tolerating', nodes.pool, {
          pod: {
            nodeSelector: { 'test.millrace.dev/pool': nodes.pool },
            tolerations: [{ operator: 'Exists' }],
          },
        }),
      );
      for (const name of ['fitting', 'all', 'tolerating']) {
        await world.untilDaemonJob(name, 'ends', isIn('Succeed'));
      }
      expect(entryOf(world, 'fitting', plane!)).toMatchObject({
        state: 'Skipped',
        reason: 'Tainted',
      });
      expect(world.daemonJob('fitting')?.status).toMatchObject({ desired: 1, skipped: 1 });
      expect((await world.namesEverCreated()).toSorted()).toEqual(
        [
          `all-${plane}`,
          `all-${worker}`,
          `fitting-${worker}`,
          `tolerating-${plane}`,
          `tolerating-${worker}`,
        ].sort(),
      );
    },
  );

  it.concurrent(
    'runs on a node that comes while it runs; after the end only where it goes on for ever (scenario 45)',
    async ({ onTestFinished }) => {
      const world = await suite.world('added');
      const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
      const [a] = await nodes.add(['a']);
      await world.apply(
        daemonJob('once', nodes.pool, { runFor: untilEnded }),
        daemonJob('endless', nodes.pool, { completionPolicy: 'Never' }),
      );
      await world.untilRunning(`once-${a}`);
      const [b] = await nodes.add(['b']);
      await world.untilRunning(`once-${b}`);
      await world.endPod(`once-${a}`);
      await world.endPod(`once-${b}`);
      await world.untilDaemonJob('once', 'ends', isIn('Succeed'));
      await world.untilDaemonJob(
        'endless',
        'has run on both',
        ({ status }) => status?.state === 'Succeed' && status.succeeded === 2,
      );
      const [c] = await nodes.add(['c']);
      await world.untilDaemonJob(
        'endless',
        'has run on all three',
        ({ status }) => status?.state === 'Succeed' && status.succeeded === 3,
      );
      const states = suiteStates(world, 'endless');
      expect(states.slice(-3)).toEqual(['Succeed', 'Running', 'Succeed']);
      expect((await world.namesEverCreated()).filter((name) => name.startsWith('once'))).toEqual([
        `once-${a}`,
        `once-${b}`,
      ]);
      expect(world.job(`endless-${c}`)).toBeDefined();
    },
  );

  it.concurrent(
    'retires the Job of a node that is deleted, and lets the others decide (scenario 46)',
    async ({ onTestFinished }) => {
      const world = await suite.world('deleted');
      const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
      const [a, b] = await nodes.add(['a', 'b']);
      await world.apply(daemonJob('shrinks', nodes.pool, { runFor: untilEnded }));
      await world.untilRunning(`shrinks-${a}`);
      await world.untilRunning(`shrinks-${b}`);
      await nodes.remove(a!);
      await world.untilGone(`shrinks-${a}`);
      await world.untilDaemonJob(
        'shrinks',
        'wants one node',
        ({ status }) => status?.desired === 1,
      );
      await world.endPod(`shrinks-${b}`);
      const ended = await world.untilDaemonJob('shrinks', 'ends', isIn('Succeed'));
      expect(ended.status).toMatchObject({ desired: 1, succeeded: 1, failed: 0 });
      const events = (await world.events()).map(({ reason }) => reason);
      expect(events).toContain('NodeGone');
      expect(await world.namesEverCreated()).toHaveLength(2);
    },
  );

  it.concurrent(
    'runs once on a machine that replaces another one under its name (scenario 47)',
    async ({ onTestFinished }) => {
      const world = await suite.world('replaced');
      const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
      const [a] = await nodes.add(['a']);
      await world.apply(daemonJob('anew', nodes.pool, { completionPolicy: 'Never' }));
      await world.untilDaemonJob('anew', 'has run', isIn('Succeed'));
      const first = world.job(`anew-${a}`)?.metadata;
      await nodes.remove(a!);
      await nodes.add(['a']);
      const pod = await world.until('a second Pod is placed', () =>
        world
          .pods()
          .find(({ spec, status }) => spec.nodeName === a && status?.phase !== 'Succeeded'),
      );
      // kwok does not manage a node that was deleted a moment ago, so the test plays its kubelet.
      await world.patch('Pod', pod.metadata.name, { status: { phase: 'Succeeded' } }, 'status');
      const second = await world.untilJob(
        `anew-${a}`,
        'is that of the new machine, and Complete',
        (job) => job.metadata.uid !== first?.uid && has(job, 'Complete'),
      );
      expect(second.metadata.labels?.[labels.nodeUid]).not.toBe(first?.labels?.[labels.nodeUid]);
      await world.untilDaemonJob('anew', 'has run again', isIn('Succeed'));
      expect(await world.namesEverCreated()).toEqual([`anew-${a}`, `anew-${a}`]);
    },
  );

  it.concurrent(
    'leaves a running Job alone when its node is cordoned, and does not run again after it (scenario 48, kruise#1199)',
    async ({ onTestFinished }) => {
      const world = await suite.world('cordoned');
      const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
      const [a] = await nodes.add(['a']);
      const [closed] = await nodes.add(['closed'], { unschedulable: true });
      const [last] = await nodes.add(['last']);
      await world.apply(daemonJob('steady', nodes.pool, { runFor: untilEnded }));
      await world.untilRunning(`steady-${a}`);
      await world.untilRunning(`steady-${last}`);
      await world.until('the closed node is on record', () => {
        const entry = entryOf(world, 'steady', closed!);
        return entry?.state === 'Skipped' && entry.reason === 'Cordoned';
      });
      await nodes.patch(a!, { spec: { unschedulable: true } });
      await world.endPod(`steady-${a}`);
      await world.untilDaemonJob('steady', 'has one done', ({ status }) => status?.succeeded === 1);
      await nodes.patch(a!, { spec: { unschedulable: null } });
      await nodes.patch(closed!, { spec: { unschedulable: null } });
      await world.untilRunning(`steady-${closed}`);
      await world.endPod(`steady-${closed}`);
      await world.endPod(`steady-${last}`);
      await world.untilDaemonJob('steady', 'ends', isIn('Succeed'));
      expect((await world.namesEverCreated()).toSorted()).toEqual(
        [`steady-${a}`, `steady-${closed}`, `steady-${last}`].sort(),
      );
    },
  );

  it.concurrent(
    'neither repeats nor deletes anything while a node is not ready for a while (scenario 49)',
    async ({ onTestFinished }) => {
      const world = await suite.world('not-ready');
      const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
      const [a] = await nodes.add(['a']);
      await world.apply(daemonJob('patient', nodes.pool, { runFor: untilEnded }));
      await world.untilRunning(`patient-${a}`);
      const uid = world.job(`patient-${a}`)?.metadata.uid;
      const silence = { type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' };
      for (let times = 0; times < 5; times += 1) {
        await nodes.patch(a!, { status: { conditions: [silence] } }, 'status');
      }
      const taint = { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' };
      await nodes.patch(a!, { spec: { taints: [taint] } });
      await nodes.patch(a!, { spec: { taints: [] } });
      await world.endPod(`patient-${a}`);
      await world.untilDaemonJob('patient', 'ends', isIn('Succeed'));
      expect(world.job(`patient-${a}`)?.metadata.uid).toBe(uid);
      expect(await world.namesEverCreated()).toEqual([`patient-${a}`]);
    },
  );

  it.concurrent(
    'waits for the first node that can run it, and says so (scenario 52)',
    async ({ onTestFinished }) => {
      const world = await suite.world('empty');
      const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
      const [a] = await nodes.add(['a'], { unschedulable: true });
      await world.apply(
        daemonJob('waits', nodes.pool),
        daemonJob('content', nodes.pool, { allowEmpty: true }),
      );
      const waiting = await world.untilDaemonJob('waits', 'waits', isIn('Pending'));
      expect(waiting.status?.reason).toBe('NoEligibleNodes');
      await world.untilDaemonJob('content', 'has nothing to do', isIn('Succeed'));
      await nodes.patch(a!, { spec: { unschedulable: null } });
      await world.untilDaemonJob('waits', 'ends', isIn('Succeed'));
      expect(await world.namesEverCreated()).toEqual([`waits-${a}`]);
      expect(conditionOf(world, 'waits', 'NodesEligible')?.status).toBe('True');
    },
  );

  it.concurrent(
    'runs on a node as soon as its labels are those that are selected',
    async ({ onTestFinished }) => {
      const world = await suite.world('relabelled');
      const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
      const [a, b] = await nodes.add(['a', 'b'], { labels: { disk: 'slow' } });
      await nodes.patch(a!, { metadata: { labels: { disk: 'fast' } } });
      const nodeSelector = { 'test.millrace.dev/pool': nodes.pool, disk: 'fast' };
      await world.apply(
        daemonJob('picky', nodes.pool, { runFor: untilEnded, pod: { nodeSelector } }),
      );
      await world.untilRunning(`picky-${a}`);
      await nodes.patch(b!, { metadata: { labels: { disk: 'fast' } } });
      await world.untilRunning(`picky-${b}`);
      await world.endPod(`picky-${a}`);
      await world.endPod(`picky-${b}`);
      await world.untilDaemonJob('picky', 'ends', isIn('Succeed'));
    },
  );
});

/** Every state of the DaemonJob in turn, without repetitions. */
function suiteStates(world: FlowWorld, name: string): readonly string[] {
  const states = world.daemonJobSightings(name).flatMap(({ status }) => status?.state ?? []);
  return states.filter((state, index) => state !== states[index - 1]);
}
