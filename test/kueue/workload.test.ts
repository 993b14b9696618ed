/** The Workload of a queued flow, in the scenarios of Kueue's own integrations. */
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it, vi } from 'vitest';
import {
  conditionOf,
  holds,
  type Workload,
  type WorkloadCondition,
} from '#functions/kueue-workload-sync/workload.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { auditEntries } from '#test/support/audit-log.ts';
import { flow, type FlowWorld, step, untilEnded } from '#test/support/flow-world.ts';
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

const key = (name: string) => `kueue.x-k8s.io/${name}`;
const oneCpu = { pod: { containers: [container('1')] } };
const long = { ...oneCpu, runFor: untilEnded };
const checkName = 'approval';
const hostname = 'kubernetes.io/hostname';

describeKueue('the Workload of a flow', (suite) => {
  const { apply } = suite;
  beforeAll(async () => {
    await apply([
      resourceFlavor('default'),
      resourceFlavor('on-node-1', { [hostname]: 'node-1' }),
      resourceFlavor('on-minikube', { [hostname]: 'minikube' }),
      clusterQueue('roomy', { default: '8' }),
      clusterQueue('shared', { default: '2' }),
      clusterQueue('split', { 'on-node-1': '1', 'on-minikube': '1' }),
      {
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: { name: 'of-pods' },
        value: 500,
      },
    ]);
    await openCheck(suite, checkName, 'checked');
  });

  const open = async (about: string, of = 'roomy'): Promise<FlowWorld> => {
    const world = await suite.world(about);
    await apply([localQueue('main', of)], '-n', world.namespace);
    return world;
  };

  /** The garbage collector looks for new kinds every 30 s, and deletes no objects of unknown kinds. */
  const collectsWorkloads = async (world: FlowWorld): Promise<void> => {
    const absent = { apiVersion: 'v1', kind: 'ConfigMap', name: 'absent', uid: randomUUID() };
    const template = { spec: { restartPolicy: 'Never', containers: [container('1')] } };
    await apply(
      [
        {
          apiVersion: 'kueue.x-k8s.io/v1beta2',
          kind: 'Workload',
          metadata: { name: 'of-nothing', ownerReferences: [absent] },
          spec: { podSets: [{ name: 'main', count: 1, template }] },
        },
      ],
      '-n',
      world.namespace,
    );
    await vi.waitFor(async () => expect(await workloadsIn(world)).toEqual([]));
  };

  const untilCondition = (
    world: FlowWorld,
    name: string,
    type: WorkloadCondition,
    reason: string,
  ) =>
    untilWorkload(world, name, (workload) =>
      expect(conditionOf(workload, type)).toMatchObject({ status: 'True', reason }),
    );
  const saysItWaitsFor = (world: FlowWorld, words: string) =>
    world.until(`it waits for ${words}`, () => world.flow('etl')?.status?.message?.includes(words));

  it.concurrent('is written three times, and for a report every ten seconds', async () => {
    const world = await open('writes');
    await world.apply(
      queued(flow('etl', [step('a', oneCpu), step('b', { ...oneCpu, after: ['a'] })])),
    );
    const finished = await untilWorkload(world, 'etl', ({ metadata: { finalizers } }) =>
      expect(finalizers).toBeUndefined(),
    );
    const atMs = (type: WorkloadCondition) =>
      Date.parse(conditionOf(finished, type)?.lastTransitionTime ?? '');
    const reports = Math.floor((atMs('Finished') - atMs('Admitted')) / 10_000) + 1;
    const written = await auditEntries(suite.cluster.auditLog, {
      namespace: world.namespace,
      resource: 'workloads',
      userAgent: /millrace/,
      verb: /create|patch|update|delete/,
    });
    const words = written
      .filter(({ code }) => code < 300)
      .map(({ verb, subresource }) => `${verb} ${subresource}`.trim());
    expect(words.filter((word) => word !== 'patch status')).toEqual(['create', 'patch']);
    expect(words.length).toBeGreaterThanOrEqual(3);
    expect(words.length).toBeLessThanOrEqual(3 + reports);
  });

  it.concurrent('is made when the flow gets a queue, and follows it into another one', async () => {
    const world = await open('labelled');
    await world.apply(flow('etl', [step('a', oneCpu)], { suspend: true }));
    await world.untilState('etl', 'Suspended');
    expect(await workloadsIn(world)).toEqual([]);
    const into = (queue: string) =>
      world.patchFlow('etl', { metadata: { labels: { [key('queue-name')]: queue } } });
    await into('later');
    const before = await untilWorkload(world, 'etl', ({ spec }) =>
      expect(spec.queueName).toBe('later'),
    );
    await into('main');
    await world.untilState('etl', 'Succeed');
    expect(await workloadOf(world, 'etl')).toMatchObject({
      metadata: { uid: before.metadata.uid },
      spec: { queueName: 'main' },
    });
  });

  it.concurrent('is deleted when the suspended flow loses its label', async () => {
    const world = await open('unlabelled');
    const waits = queued(flow('etl', [step('a', oneCpu)]));
    const labels = { ...waits.metadata.labels, [key('queue-name')]: 'later' };
    await world.apply({ ...waits, metadata: { ...waits.metadata, labels } });
    await untilWorkload(world, 'etl', ({ spec }) => expect(spec.queueName).toBe('later'));
    await world.patchFlow('etl', { metadata: { labels: { [key('queue-name')]: null } } });
    await vi.waitFor(async () => expect(await workloadsIn(world)).toEqual([]));
    await world.patchFlow('etl', { spec: { suspend: false } });
    await world.untilState('etl', 'Succeed');
    expect(await workloadsIn(world)).toEqual([]);
  });

  it.concurrent('has the priority of the Pods of the flow', async () => {
    const world = await open('pod-priority');
    const pod = { ...oneCpu.pod, priorityClassName: 'of-pods' };
    await world.apply(queued(flow('etl', [step('a', { pod })])));
    await world.untilState('etl', 'Succeed');
    expect((await workloadOf(world, 'etl'))?.spec).toMatchObject({
      priority: 500,
      priorityClassRef: { group: 'scheduling.k8s.io', kind: 'PriorityClass', name: 'of-pods' },
    });
  });

  it.concurrent('is not made before its priority class is there', async () => {
    const world = await open('no-class');
    const waits = queued(flow('etl', [step('a', oneCpu)]));
    const name = `class-of-${world.namespace}`;
    const labels = { ...waits.metadata.labels, [key('priority-class')]: name };
    await world.apply({ ...waits, metadata: { ...waits.metadata, labels } });
    await saysItWaitsFor(world, `there is no WorkloadPriorityClass "${name}"`);
    expect(await workloadsIn(world)).toEqual([]);
    await apply([priorityClass(name, 7)]);
    await world.untilState('etl', 'Succeed');
    expect((await workloadOf(world, 'etl'))?.spec.priority).toBe(7);
  });

  it.concurrent('is the only one: another one of the same flow is deleted', async () => {
    const world = await open('surplus');
    await world.apply(queued(flow('etl', [step('a', long)])));
    await world.untilRunning('etl-a');
    const own = (await workloadOf(world, 'etl'))!;
    await apply([surplusOf(own)], '-n', world.namespace);
    await vi.waitFor(async () => {
      const left = (await workloadsIn(world)).map(({ metadata }) => metadata.uid);
      expect(left).toEqual([own.metadata.uid]);
    });
    expect(world.flow('etl')?.spec.suspend).toBe(false);
    await world.endPod('etl-a');
    await world.untilState('etl', 'Succeed');
  });

  it.concurrent('is changed with the flow while it waits, and not replaced', async () => {
    const world = await suite.world('changed');
    await world.apply(queued(flow('etl', [step('a', oneCpu)])));
    const before = await untilWorkload(world, 'etl', ({ spec }) =>
      expect(spec.podSets).toHaveLength(1),
    );
    const two = { pod: { containers: [container('2')] } };
    await world.apply(queued(flow('etl', [step('a', two), step('b', { ...two, after: ['a'] })])));
    const after = await untilWorkload(world, 'etl', ({ spec }) =>
      expect(spec.podSets).toHaveLength(2),
    );
    expect(after.metadata.uid).toBe(before.metadata.uid);
    await apply([localQueue('main', 'roomy')], '-n', world.namespace);
    await world.untilState('etl', 'Succeed');
    expect((await workloadOf(world, 'etl'))?.metadata.uid).toBe(before.metadata.uid);
  });

  it.concurrent('has its podSets on different flavors where one does not hold all', async () => {
    const world = await open('split', 'split');
    await world.apply(queued(flow('etl', [step('a', long), step('b', long)])));
    const nodes = [];
    for (const name of ['etl-a', 'etl-b']) {
      nodes.push((await world.untilRunning(name)).spec.nodeName);
    }
    expect(nodes.toSorted()).toEqual(['minikube', 'node-1']);
    for (const name of ['etl-a', 'etl-b']) await world.endPod(name);
    await world.untilState('etl', 'Succeed');
  });

  const answer = (world: FlowWorld, workload: Workload, state: string, labels: JsonObject) =>
    answerCheck(world, workload, checkName, {
      ...{ state, labels, annotations: { 'example.com/by': 'check' } },
    });
  const untilChecked = (world: FlowWorld) =>
    untilWorkload(world, 'etl', (workload) => {
      expect(holds(workload, 'QuotaReserved')).toBe(true);
      expect(workload.status?.admissionChecks).toMatchObject([
        { name: checkName, state: 'Pending' },
      ]);
    });

  it.concurrent(
    'waits for an admission check, whose updates its Pods have until the check is rejected',
    async () => {
      const world = await open('check', 'checked');
      const waits = queued(flow('etl', [step('a', long)]));
      const annotations = { 'provreq.kueue.x-k8s.io/of': 'test', 'example.com/other': 'test' };
      await world.apply({ ...waits, metadata: { ...waits.metadata, annotations } });
      const pending = await untilChecked(world);
      expect(pending.metadata.annotations).toMatchObject({ 'provreq.kueue.x-k8s.io/of': 'test' });
      expect(Object.keys(pending.metadata.annotations!)).not.toContain('example.com/other');
      await saysItWaitsFor(world, `${checkName} (Pending)`);
      await answer(world, pending, 'Ready', { team: 'etl' });
      const pod = await world.untilRunning('etl-a');
      expect(pod.metadata.labels).toMatchObject({ team: 'etl' });
      expect(pod.metadata.annotations).toMatchObject({ 'example.com/by': 'check' });
      await answer(world, pending, 'Rejected', { team: 'etl' });
      await untilWorkload(world, 'etl', (workload) => {
        expect(workload.spec.active).toBe(false);
        expect(holds(workload, 'QuotaReserved')).toBe(false);
      });
      expect(world.pods('etl-a')).toEqual([]);
      await world.until('it is suspended', () => world.flow('etl')?.spec.suspend === true);
      expect(world.flow('etl')?.spec.podSetInfos).toBeUndefined();
    },
  );

  it.concurrent('never starts a flow whose template a check contradicts', async () => {
    const world = await open('contradiction', 'checked');
    const podMetadata = { labels: { team: 'own' } };
    await world.apply(queued(flow('etl', [step('a', { ...oneCpu, podMetadata })])));
    const pending = await untilChecked(world);
    await answer(world, pending, 'Ready', { team: 'other' });
    await untilCondition(world, 'etl', 'Finished', 'FailedToStart');
    await saysItWaitsFor(world, '"team" is to be "own" and "other"');
    expect(world.pods()).toEqual([]);
    expect(world.flow('etl')?.spec.suspend).toBe(true);
  });

  it.concurrent('gives the quota of a step that succeeded to what waits', async () => {
    const world = await open('reclaimed', 'shared');
    await world.apply(
      queued(flow('first', [step('a', oneCpu), step('b', { ...long, after: ['a'] })])),
    );
    await world.untilRunning('first-b');
    await world.apply(queued(flow('second', [step('a', long)])));
    await world.untilRunning('second-a');
    expect(world.pods('first-b')).toHaveLength(1);
    const { status } = (await workloadOf(world, 'first'))!;
    expect(status?.reclaimablePods).toEqual([{ name: 'a', count: 1 }]);
    expect(conditionOf((await workloadOf(world, 'first'))!, 'PodsReady')).toMatchObject({
      status: 'True',
      reason: 'Started',
    });
    for (const name of ['first-b', 'second-a']) await world.endPod(name);
    for (const name of ['first', 'second']) await world.untilState(name, 'Succeed');
  });

  it.concurrent('is deactivated when the time of the flow is over', async () => {
    const world = await open('time');
    const short = queued(flow('etl', [step('a', long)]));
    const labels = { ...short.metadata.labels, [key('max-exec-time-seconds')]: '1' };
    await world.apply({ ...short, metadata: { ...short.metadata, labels } });
    await untilWorkload(world, 'etl', (workload) => {
      expect(workload.spec).toMatchObject({ active: false, maximumExecutionTimeSeconds: 1 });
      expect(conditionOf(workload, 'Evicted')).toMatchObject({
        status: 'True',
        reason: 'DeactivatedDueToMaximumExecutionTimeExceeded',
      });
      expect(holds(workload, 'QuotaReserved')).toBe(false);
    });
    await saysItWaitsFor(world, 'is not active');
    expect(world.pods()).toEqual([]);
  });

  it.concurrent('is finished and let go when the flow leaves it behind', async () => {
    const world = await open('orphan');
    await collectsWorkloads(world);
    await world.apply(queued(flow('etl', [step('a', oneCpu)]), 'later'));
    const made = await untilWorkload(world, 'etl', ({ spec }) =>
      expect(spec.queueName).toBe('later'),
    );
    await world.delete('JobFlow', 'etl', 'Orphan');
    await vi.waitFor(async () => {
      const [left, ...others] = await workloadsIn(world);
      expect(others).toEqual([]);
      expect(left?.metadata.uid).toBe(made.metadata.uid);
      expect(left?.metadata.finalizers).toBeUndefined();
      expect(left !== undefined && holds(left, 'Finished')).toBe(true);
    });
    // It has no owner any more.
    await world.delete('Workload', made.metadata.name);
  });

  it.concurrent('gives its quota back when a running flow leaves its Jobs behind', async () => {
    const world = await open('orphan-that-runs');
    await collectsWorkloads(world);
    await world.apply(queued(flow('etl', [step('a', long)])));
    await world.untilRunning('etl-a');
    const made = await untilWorkload(world, 'etl', (each) =>
      expect(holds(each, 'Admitted')).toBe(true),
    );
    await world.delete('JobFlow', 'etl', 'Orphan');
    await vi.waitFor(async () => {
      const [left] = await workloadsIn(world);
      expect(left?.metadata.finalizers).toBeUndefined();
      expect(left !== undefined && holds(left, 'Finished')).toBe(true);
    });
    expect(world.pods()).toHaveLength(1);
    await world.endPod('etl-a');
    await world.delete('Workload', made.metadata.name);
  });
});
