/** The Workload of an AppWrapper, in the scenarios of Kueue's own integration. */
import { beforeAll, expect, it, vi } from 'vitest';
import type { AppWrapper } from '#shared/api/app-wrapper.ts';
import { conditionOf, holds, type Workload } from '#functions/kueue-workload-sync/workload.ts';
import type { FlowWorld } from '#test/support/flow-world.ts';
import { untilEnded } from '#test/support/flow-world.ts';
import { answerCheck, openCheck } from '#test/support/kueue/admission-check.ts';
import { describeKueue } from '#test/support/kueue/kueue-suite.ts';
import {
  container,
  queued,
  surplusOf,
  untilWorkload,
  workloadOf,
  workloadsIn,
} from '#test/support/kueue/queued.ts';
import {
  clusterQueue,
  localQueue,
  priorityClass,
  resourceFlavor,
} from '#test/support/kueue/queues.ts';
import { appWrapper, wrappedJob, wrappedPod } from '#test/support/wrappers/wrapper-manifests.ts';
import { endWrappedPod, untilWrapperIs, wrapperOf } from '#test/support/wrappers/wrapper-waits.ts';

const key = (name: string) => `kueue.x-k8s.io/${name}`;
const pod = { restartPolicy: 'Never', containers: [container('1')] } as const;
const long = { pod, runFor: untilEnded };
const checkName = 'approval-of-wrappers';
const hostname = 'kubernetes.io/hostname';

/**
 * Kueue limits the time until Pods are ready, as in every suite. Here Millrace's setting says so.
 */
const rules = { awaitsReadiness: true };

describeKueue(
  'the Workload of an AppWrapper',
  (suite) => {
    const { apply } = suite;
    beforeAll(async () => {
      await apply([
        {
          apiVersion: 'kueue.x-k8s.io/v1beta2',
          kind: 'Topology',
          metadata: { name: 'hosts-of-wrappers' },
          spec: { levels: [{ nodeLabel: hostname }] },
        },
        resourceFlavor('default'),
        resourceFlavor(
          'by-host',
          { 'kubernetes.io/os': 'linux' },
          { topologyName: 'hosts-of-wrappers' },
        ),
        clusterQueue('roomy', { default: '8' }),
        clusterQueue('hosts', { 'by-host': '150' }),
        priorityClass('urgent', 1_000),
      ]);
      await openCheck(suite, checkName, 'checked');
    });

    const open = async (about: string, of = 'roomy'): Promise<FlowWorld> => {
      const world = await suite.world(about);
      await apply([localQueue('main', of)], '-n', world.namespace);
      return world;
    };
    const specOf = async (world: FlowWorld) =>
      (await wrapperOf(world, 'w'))?.spec as AppWrapper['spec'] | undefined;

    it.concurrent(
      'is made when the wrapper gets a queue, follows it into another one, and is the only one',
      async () => {
        const world = await open('labelled');
        const jobs = [wrappedJob('a', long), wrappedJob('b', long)];
        const waits = appWrapper('w', jobs, { suspend: true });
        const labels = { [key('priority-class')]: 'urgent' };
        await world.apply({ ...waits, metadata: { ...waits.metadata, labels } });
        await untilWrapperIs(world, 'w', 'Suspended');
        expect(await workloadsIn(world)).toEqual([]);
        const into = (queue: string) =>
          world.patch('AppWrapper', 'w', { metadata: { labels: { [key('queue-name')]: queue } } });
        await into('later');
        const own = await untilWorkload(world, 'w', ({ spec }) =>
          expect(spec.queueName).toBe('later'),
        );
        expect(own.spec).toMatchObject({
          priority: 1_000,
          podSets: [
            { name: 'w-0', count: 1 },
            { name: 'w-1', count: 1 },
          ],
        });
        await apply([surplusOf(own)], '-n', world.namespace);
        const uids = async () => (await workloadsIn(world)).map(({ metadata }) => metadata.uid);
        await vi.waitFor(async () => expect(await uids()).toEqual([own.metadata.uid]));
        await into('main');
        await untilWrapperIs(world, 'w', 'Running');
        expect(await uids()).toEqual([own.metadata.uid]);
      },
    );

    it.concurrent(
      'waits for an admission check, whose updates all components have until it is rejected',
      async () => {
        const world = await open('check', 'checked');
        const waits = queued(appWrapper('w', [wrappedPod('a', long), wrappedJob('b', long)]));
        const annotations = { 'provreq.kueue.x-k8s.io/of': 'test', 'example.com/other': 'test' };
        await world.apply({ ...waits, metadata: { ...waits.metadata, annotations } });
        const pending = await untilWorkload(world, 'w', (workload) => {
          expect(holds(workload, 'QuotaReserved')).toBe(true);
          expect(workload.status?.admissionChecks).toMatchObject([{ state: 'Pending' }]);
        });
        expect(pending.metadata.annotations).toMatchObject({ 'provreq.kueue.x-k8s.io/of': 'test' });
        expect(Object.keys(pending.metadata.annotations ?? {})).not.toContain('example.com/other');
        const labels = { team: 'etl' };
        await answerCheck(world, pending, checkName, { state: 'Ready', labels });
        await untilWrapperIs(world, 'w', 'Running');
        const { podSetInfos: [first, ...others] = [] } = (await specOf(world))!.components[0]!;
        expect(first).toMatchObject({ labels });
        expect(others).toEqual([]);
        // The Job controller creates its Pod later.
        await vi.waitFor(() =>
          expect(world.pods().map(({ metadata }) => metadata.labels)).toMatchObject([
            labels,
            labels,
          ]),
        );
        await answerCheck(world, pending, checkName, { state: 'Rejected' });
        await untilWrapperIs(world, 'w', 'Suspended');
        const { suspend, components } = (await specOf(world))!;
        expect(suspend).toBe(true);
        expect(components.map(({ podSetInfos }) => podSetInfos)).toEqual([undefined, undefined]);
        await untilWorkload(world, 'w', (each) => expect(holds(each, 'QuotaReserved')).toBe(false));
      },
    );

    it.concurrent('says that Pods are ready, and no more when they have stopped', async () => {
      const world = await open('ready');
      await world.apply(queued(appWrapper('w', [wrappedPod('a', long), wrappedPod('b', long)])));
      const untilReady = (status: string, reason: string): Promise<Workload> =>
        untilWorkload(world, 'w', (workload) =>
          expect(conditionOf(workload, 'PodsReady')).toMatchObject({ status, reason }),
        );
      const { metadata } = await untilReady('True', 'Started');
      const isActive = (active: boolean) =>
        world.patch('Workload', metadata.name, { spec: { active } });
      await isActive(false);
      await untilReady('False', 'WaitForStart');
      await untilWrapperIs(world, 'w', 'Suspended');
      await isActive(true);
      await untilReady('True', 'Started');
      for (const name of ['a', 'b']) await endWrappedPod(world, name, 0);
      await untilWrapperIs(world, 'w', 'Succeeded');
      await untilWorkload(world, 'w', (workload) =>
        expect(conditionOf(workload, 'Finished')).toMatchObject({ reason: 'Succeeded' }),
      );
    });

    it.concurrent('has the Pods of an Indexed Job placed by their ranks', async () => {
      const world = await open('ranks', 'hosts');
      const annotations = { [key('podset-preferred-topology')]: hostname };
      const aNode = { restartPolicy: 'Never', containers: [container('40')] } as const;
      const indexed = { completionMode: 'Indexed', completions: 3, parallelism: 3 } as const;
      const ranked = wrappedJob('ranked', {
        ...{ pod: aNode, podMetadata: { annotations }, runFor: untilEnded },
        job: { backoffLimit: 0, ...indexed },
      });
      await world.apply(queued(appWrapper('w', [ranked])));
      await untilWrapperIs(world, 'w', 'Running');
      const { spec, status } = (await workloadOf(world, 'w'))!;
      expect(spec.podSets[0]?.topologyRequest).toMatchObject({
        preferred: hostname,
        podIndexLabel: 'batch.kubernetes.io/job-completion-index',
      });
      const [assigned] = status?.admission?.podSetAssignments ?? [];
      const { slices = [] } = assigned?.topologyAssignment as {
        readonly slices?: readonly {
          readonly valuesPerLevel: readonly {
            readonly individual?: {
              readonly prefix?: string;
              readonly roots?: readonly string[];
              readonly suffix?: string;
            };
          }[];
        }[];
      };
      const hosts = slices.flatMap(({ valuesPerLevel: [host] }) => {
        const { prefix = '', roots = [], suffix = '' } = host?.individual ?? {};
        return roots.map((root) => `${prefix}${root}${suffix}`);
      });
      expect(hosts.toSorted()).toEqual(['minikube', 'node-1', 'node-2']);
      await vi.waitFor(() => {
        const placed = world.pods('ranked').map(({ metadata, spec: { nodeName } }) => {
          const rank = metadata.labels?.['batch.kubernetes.io/job-completion-index'];
          return [Number(rank), nodeName] as const;
        });
        expect(placed.toSorted(([a], [b]) => a - b)).toEqual([...hosts.entries()]);
      });
    });
  },
  { rules },
);
