/** The walk-through of AppWrappers in a queue of a real Kueue: admitted, Running and Succeeded. */
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { conditionOf } from '#functions/kueue-workload-sync/workload.ts';
import { defaultWrapperSettings } from '#functions/appwrapper-admission/wrapper-settings.ts';
import { daemonJob } from '#test/support/daemons/daemon-manifest.ts';
import { TestNodes } from '#test/support/daemons/test-nodes.ts';
import { describeKueue } from '#test/support/kueue/kueue-suite.ts';
import { container, queued, workloadOf, workloadsIn } from '#test/support/kueue/queued.ts';
import {
  clusterQueue,
  localQueue,
  priorityClass,
  resourceFlavor,
} from '#test/support/kueue/queues.ts';
import { ObjectHistory } from '#test/support/flows/object-history.ts';
import { registerSuspendAdmission } from '#test/support/suspension/suspend-webhooks.ts';
import { registerWrapperAdmission } from '#test/support/wrapper-webhooks.ts';
import { flow, type FlowWorld, step, untilEnded, work } from '#test/support/flow-world.ts';
import { playedKinds } from '#test/support/wrappers/played-kinds.ts';
import {
  installPlayedKinds,
  partOf,
  playOperator,
} from '#test/support/wrappers/played-operators.ts';
import {
  appWrapper,
  statusOf,
  wrappedJob,
  wrappedPod,
} from '#test/support/wrappers/wrapper-manifests.ts';
import {
  endWrappedPod,
  untilWrapperIs,
  untilWrapperIsGone,
} from '#test/support/wrappers/wrapper-waits.ts';

const pytorchJob = playedKinds.find(({ resource }) => resource.kind === 'PyTorchJob')!;
const samples = join(import.meta.dirname, '../../samples');

describeKueue('an AppWrapper in a queue of Kueue', (suite) => {
  const { apply } = suite;
  beforeAll(async () => {
    const preemption = { preemption: { withinClusterQueue: 'LowerPriority' } };
    await apply([
      ...[resourceFlavor('default'), resourceFlavor('spot', { tier: 'spot' })],
      resourceFlavor('on-demand', { tier: 'on-demand' }),
      clusterQueue('narrow', { default: '1' }),
      clusterQueue('whole', { default: '1' }),
      clusterQueue('contested', { default: '1' }, preemption),
      clusterQueue('flavored', { spot: '1', 'on-demand': '5' }),
      clusterQueue('served', { default: '1' }),
      clusterQueue('trained', { default: '1' }),
      clusterQueue('daemons', { default: '2' }),
      priorityClass('high', 1_000),
    ]);
    await installPlayedKinds(suite.cluster.kubectl);
  });

  /** For the wrapper alone. */
  const untilOneWorkloadIsReady = (world: FlowWorld) =>
    vi.waitFor(async () => {
      const found = (await workloadsIn(world)).map((each) => [
        each.metadata.ownerReferences?.[0]?.kind,
        conditionOf(each, 'PodsReady')?.status,
      ]);
      expect(found).toEqual([['AppWrapper', 'True']]);
    });

  it('runs when it is admitted, and gives its quota to the next one', async () => {
    const world = await suite.world('walk');
    await apply([localQueue('user-queue', 'narrow')], '-n', world.namespace);
    const wrapped = (name: string) => wrappedPod(name, { pod: { containers: [container('1')] } });
    const both = ['first', 'second'].map((name) =>
      queued(appWrapper(name, [wrapped(name)]), 'user-queue'),
    );
    await world.apply(...both);
    for (const name of ['first', 'second']) await untilWrapperIs(world, name, 'Succeeded');
  });

  it('walks through the page on samples/appwrapper.yaml: Running, then Succeeded', async () => {
    const world = await suite.world('sample');
    const { kubectl, kubeconfigs } = suite.cluster;
    const admissions = await Promise.all([
      registerWrapperAdmission({
        ...{ kubectl, namespace: world.namespace, wrappers: defaultWrapperSettings },
        kubeconfig: kubeconfigs['appwrapper-admission'] ?? '',
      }),
      registerSuspendAdmission({
        ...{ kubectl, namespace: world.namespace },
        kubeconfig: kubeconfigs['suspend-admission'] ?? '',
      }),
    ]);
    onTestFinished(async () => {
      await Promise.all(admissions.map((each) => each.stop()));
    });
    const history = await ObjectHistory.open(suite.api(), 'AppWrapper');
    onTestFinished(() => history.close());
    await world.kubectl(['apply', '-f', join(samples, 'queues.yaml')]);
    const file = join(samples, 'appwrapper.yaml');
    /** The first columns of the output, this many. */
    const printed = async (columns: number, kind: string) => {
      const lines = (await world.kubectl(['get', kind])).trim().split('\n');
      return lines.map((line) => line.split(/ +/).slice(0, columns));
    };

    await world.kubectl(['apply', '-f', file]);
    await untilWrapperIs(world, 'sample', 'Succeeded');
    expect(await printed(2, 'appwrappers')).toEqual([
      ['NAME', 'STATUS'],
      ['sample', 'Succeeded'],
    ]);
    expect(await printed(3, 'pods')).toEqual([
      ['NAME', 'READY', 'STATUS'],
      ['sample', '0/1', 'Completed'],
    ]);
    await vi.waitFor(() => {
      const seen = history
        .sightings(world.namespace)
        .flatMap(({ object }) => statusOf(object).phase ?? []);
      expect(seen.filter((phase, at) => phase !== seen[at - 1])).toEqual([
        ...['Suspended', 'Resuming', 'Running', 'Succeeded'],
      ]);
    });
    expect(history.sightings(world.namespace)[0]?.object.spec).toMatchObject({ suspend: true });
    // It is written after the phase.
    await vi.waitFor(async () => {
      const { status } = (await workloadOf(world, 'sample')) ?? {};
      const held = status?.conditions?.filter((each) => each.status === 'True') ?? [];
      expect(held.map(({ type }) => type)).toContain('Finished');
    });

    await world.kubectl(['delete', '-f', file]);
    await untilWrapperIsGone(world, 'sample');
    expect(await world.kubectl(['get', 'pods', '-o', 'name'])).toBe('');
  });

  it.concurrent('takes the quota of its Jobs once, though Kueue knows Jobs too', async () => {
    const world = await suite.world('once');
    await apply([localQueue('main', 'whole')], '-n', world.namespace);
    const half = { pod: { restartPolicy: 'Never', containers: [container('500m')] } } as const;
    const steps = flow('flow', [step('a', half), step('b', { ...half, after: ['a'] })]);
    const both = appWrapper('both', [wrappedJob('job', half), wrappedPod('pod', half)]);
    await world.apply(queued(both, 'main'), queued(appWrapper('flow', [steps]), 'main'));
    for (const name of ['both', 'flow']) await untilWrapperIs(world, name, 'Succeeded');
    const owners = (await workloadsIn(world)).map(
      ({ metadata }) => metadata.ownerReferences?.[0]?.kind,
    );
    expect(owners).toEqual(['AppWrapper', 'AppWrapper']);
  });

  it.concurrent('has one Workload for the Pods of a Deployment, which all run', async () => {
    const world = await suite.world('deployment');
    await apply([localQueue('main', 'served')], '-n', world.namespace);
    const labels = { app: 'served' };
    const { template } = work({
      ...{ runFor: untilEnded, podMetadata: { labels } },
      pod: { containers: [container('200m')] },
    });
    const spec = { replicas: 3, selector: { matchLabels: labels }, template };
    const metadata = { name: 'served' };
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec };
    await world.apply(queued(appWrapper('serves', [deployment]), 'main'));
    await vi.waitFor(async () => {
      const ready = ['get', 'deployment', 'served', '-o', 'jsonpath={.status.readyReplicas}'];
      expect(await world.kubectl(ready)).toBe('3');
    });
    await untilOneWorkloadIsReady(world);
    await world.delete('AppWrapper', 'serves');
    await untilWrapperIsGone(world, 'serves');
  });

  it.concurrent('takes its whole quota once for the Pods of a PyTorchJob', async () => {
    const world = await suite.world('pytorch');
    await apply([localQueue('main', 'trained')], '-n', world.namespace);
    const [master, worker] = ['200m', '400m'].map(
      (cpu) =>
        work({
          runFor: untilEnded,
          pod: { restartPolicy: 'Never', containers: [container(cpu)] },
        }).template,
    );
    const roles = {
      Master: { replicas: 1, template: master },
      Worker: { replicas: 2, template: worker },
    };
    const trains = { ...pytorchJob, spec: { pytorchReplicaSpecs: roles } };
    await world.apply(queued(appWrapper('trains', [partOf(trains)]), 'main'));
    await untilWrapperIs(world, 'trains', 'Running');
    await playOperator(world, trains);
    await untilOneWorkloadIsReady(world);
    expect(world.pods().map(({ status }) => status?.phase)).toEqual(Array(3).fill('Running'));
  });

  it.concurrent(
    'runs a DaemonJob on so many nodes at once as there is quota for, and ends with it',
    async ({ onTestFinished: afterwards }) => {
      const world = await suite.world('daemon');
      await apply([localQueue('main', 'daemons')], '-n', world.namespace);
      const nodes = new TestNodes(suite.api(), world.namespace, afterwards);
      await nodes.add(['a', 'b', 'c']);
      const pod = { containers: [container('1')] };
      const scan = daemonJob('scan', nodes.pool, { parallelism: 2, runFor: untilEnded, pod });
      await world.apply(queued(appWrapper('scans', [scan]), 'main'));
      await untilOneWorkloadIsReady(world);
      const [workload] = await workloadsIn(world);
      expect(workload?.spec.podSets.map(({ name, count }) => [name, count])).toEqual([
        ['scans-0', 2],
      ]);
      const running = () => world.pods().filter(({ status }) => status?.phase === 'Running');
      await vi.waitFor(() => expect(running()).toHaveLength(2));
      const stop = new AbortController();
      const ending = world.endPods(stop.signal);
      await untilWrapperIs(world, 'scans', 'Succeeded');
      stop.abort();
      await ending;
      const [{ status } = {}] = (await world.api.list('DaemonJob', world.namespace)).items;
      expect(status).toMatchObject({ desired: 3, succeeded: 3 });
    },
  );

  it.concurrent(
    'gives way to one that matters more, and runs again after it',
    async ({ onTestFinished: afterwards }) => {
      const world = await suite.world('gives-way');
      await apply([localQueue('main', 'contested')], '-n', world.namespace);
      const wrapped = (name: string) => {
        const pod = { containers: [container('1')] };
        return queued(appWrapper(name, [wrappedPod(name, { runFor: untilEnded, pod })]), 'main');
      };
      const history = await ObjectHistory.open(suite.api(), 'AppWrapper');
      afterwards(() => history.close());
      await world.apply(wrapped('low'));
      await untilWrapperIs(world, 'low', 'Running');
      const high = wrapped('high');
      const labels = { ...high.metadata.labels, 'kueue.x-k8s.io/priority-class': 'high' };
      await world.apply({ ...high, metadata: { ...high.metadata, labels } });
      await untilWrapperIs(world, 'high', 'Running');
      expect(await world.kubectl(['get', 'pods', '-o', 'name'])).toBe('pod/high\n');
      await untilWrapperIs(world, 'low', 'Suspended');
      const { status } = (await workloadOf(world, 'low')) ?? {};
      const evicted = status?.conditions?.find(({ type }) => type === 'Evicted');
      expect(evicted).toMatchObject({ reason: 'Preempted' });
      for (const name of ['high', 'low']) {
        await endWrappedPod(world, name, 0);
        await untilWrapperIs(world, name, 'Succeeded');
      }
      await vi.waitFor(() => {
        const phases = history
          .sightings(world.namespace)
          .filter(({ object: { metadata } }) => metadata.name === 'low')
          .flatMap(({ object }) => statusOf(object).phase ?? []);
        expect(phases.filter((phase, at) => phase !== phases[at - 1])).toEqual([
          ...['Suspended', 'Resuming', 'Running', 'Suspending'],
          ...['Suspended', 'Resuming', 'Running', 'Succeeded'],
        ]);
      });
    },
  );

  it.concurrent('has each component run where its podSet was placed', async () => {
    const world = await suite.world('flavored');
    await apply([localQueue('main', 'flavored')], '-n', world.namespace);
    const asking = (cpu: string) =>
      ({ pod: { restartPolicy: 'Never', containers: [container(cpu)] } }) as const;
    const jobs = [wrappedJob('small', asking('1')), wrappedJob('large', asking('3'))];
    await world.apply(queued(appWrapper('placed', jobs), 'main'));
    await untilWrapperIs(world, 'placed', 'Running');
    const tierOf = (name: string) =>
      world.kubectl(['get', 'job', name, '-o', 'jsonpath={.spec.template.spec.nodeSelector.tier}']);
    expect([await tierOf('small'), await tierOf('large')]).toEqual(['spot', 'on-demand']);
    await world.delete('AppWrapper', 'placed');
    await untilWrapperIsGone(world, 'placed');
  });
});
