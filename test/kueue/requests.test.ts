/** Requests of a queued flow to a real Kueue besides quota: gates, a priority, and a place in the topology. */
import { beforeAll, expect, it, vi } from 'vitest';
import { holds } from '#functions/kueue-workload-sync/workload.ts';
import { flow, step, untilEnded } from '#test/support/flow-world.ts';
import { describeKueue } from '#test/support/kueue/kueue-suite.ts';
import { container, queued, workloadOf } from '#test/support/kueue/queued.ts';
import {
  clusterQueue,
  localQueue,
  priorityClass,
  resourceFlavor,
} from '#test/support/kueue/queues.ts';

const key = (name: string) => `kueue.x-k8s.io/${name}`;
const oneCpu = { pod: { containers: [container('1')] } };
const hostname = 'kubernetes.io/hostname';
const levels = [{ nodeLabel: hostname }];

describeKueue('a queued flow', (suite) => {
  const { apply } = suite;
  beforeAll(() =>
    apply([
      {
        apiVersion: 'kueue.x-k8s.io/v1beta2',
        kind: 'Topology',
        metadata: { name: 'hosts' },
        spec: { levels },
      },
      resourceFlavor('default'),
      resourceFlavor('placed', { [hostname]: 'minikube' }, { topologyName: 'hosts' }),
      clusterQueue('roomy', { default: '8' }),
      clusterQueue('topology', { placed: '8' }),
      clusterQueue('narrow', { default: '1' }),
      priorityClass('low', 10),
      priorityClass('high', 1000),
    ]),
  );

  const open = async (about: string, of: string) => {
    const world = await suite.world(about);
    await apply([localQueue('main', of)], '-n', world.namespace);
    return world;
  };

  it.concurrent('waits for the gates of its admission', async () => {
    const world = await open('gated', 'roomy');
    const gated = queued(flow('etl', [step('a', oneCpu)]));
    const annotations = { [key('admission-gated-by')]: 'example.com/approval' };
    await world.apply({ ...gated, metadata: { ...gated.metadata, annotations } });
    await world.until(
      'it says so',
      () => world.flow('etl')?.status?.message?.includes('example.com/approval') === true,
    );
    await world.patchFlow('etl', {
      metadata: { annotations: { [key('admission-gated-by')]: null } },
    });
    await world.untilState('etl', 'Succeed');
  });

  it.concurrent('is admitted before others when it gets a higher priority class', async () => {
    const world = await open('priority', 'narrow');
    const long = { ...oneCpu, runFor: untilEnded };
    await world.apply(queued(flow('first', [step('a', long)])));
    await world.untilRunning('first-a');
    for (const name of ['second', 'third']) {
      const waits = queued(flow(name, [step('a', long)]));
      const labels = { ...waits.metadata.labels, [key('priority-class')]: 'low' };
      await world.apply({ ...waits, metadata: { ...waits.metadata, labels } });
      await vi.waitFor(async () => expect(await workloadOf(world, name)).toBeDefined());
    }
    await world.patchFlow('third', { metadata: { labels: { [key('priority-class')]: 'high' } } });
    await vi.waitFor(async () => {
      const workload = await workloadOf(world, 'third');
      expect(workload?.spec).toMatchObject({ priority: 1000, priorityClassRef: { name: 'high' } });
    });
    await world.endPod('first-a');
    await world.untilRunning('third-a');
    expect(world.pods('second-a')).toEqual([]);
    await world.endPod('third-a');
    await world.untilRunning('second-a');
    await world.endPod('second-a');
    await world.untilState('second', 'Succeed');
  });

  it.concurrent(
    'has its Pods placed by the topology that a step asks for, again after an eviction between its steps',
    async () => {
      const world = await open('topology', 'topology');
      const podMetadata = { annotations: { [key('podset-required-topology')]: hostname } };
      const placed = { ...oneCpu, podMetadata, runFor: untilEnded };
      const steps = [step('a', placed), step('b', { ...placed, after: ['a'] })];
      await world.apply(queued(flow('etl', steps)));
      const pod = await world.untilRunning('etl-a');
      expect(pod.spec).toMatchObject({ nodeName: 'minikube' });
      const workload = (await workloadOf(world, 'etl'))!;
      expect(holds(workload, 'Admitted')).toBe(true);
      expect(workload.spec.podSets[0]?.topologyRequest).toMatchObject({ required: hostname });
      const [assigned] = workload.status?.admission?.podSetAssignments ?? [];
      expect(assigned?.topologyAssignment).toBeDefined();
      await world.endPod('etl-a');
      await world.untilRunning('etl-b');
      const isActive = (active: boolean) =>
        world.patch('Workload', workload.metadata.name, { spec: { active } });
      await isActive(false);
      await vi.waitFor(async () => {
        const evicted = (await workloadOf(world, 'etl'))!;
        expect(holds(evicted, 'QuotaReserved')).toBe(false);
        expect(evicted.status?.reclaimablePods).toEqual([{ name: 'a', count: 1 }]);
      });
      await isActive(true);
      expect((await world.untilRunning('etl-b')).spec).toMatchObject({ nodeName: 'minikube' });
      await world.endPod('etl-b');
      await world.untilState('etl', 'Succeed');
      expect(world.pods('etl-a')).toHaveLength(1);
    },
  );
});
