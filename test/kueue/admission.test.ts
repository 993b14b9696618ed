/** JobFlows in a queue of a real Kueue: admitted as a whole, run, and finished (facts of docs/kueue.md). */
import { beforeAll, expect, it, vi } from 'vitest';
import { conditionOf, holds } from '#functions/kueue-workload-sync/workload.ts';
import { flow, type FlowWorld, step, untilEnded } from '#test/support/flow-world.ts';
import { describeKueue } from '#test/support/kueue/kueue-suite.ts';
import { container, queued, workloadOf, workloadsIn } from '#test/support/kueue/queued.ts';
import {
  clusterQueue,
  localQueue,
  priorityClass,
  resourceFlavor,
} from '#test/support/kueue/queues.ts';

const oneCpu = { pod: { containers: [container('1')] } };

const preempts = { preemption: { withinClusterQueue: 'LowerPriority' } };

describeKueue('a flow in a queue of Kueue', (suite) => {
  const { apply } = suite;
  beforeAll(async () => {
    await apply([
      resourceFlavor('default'),
      resourceFlavor('on-minikube', { 'kubernetes.io/hostname': 'minikube' }),
      clusterQueue('roomy', { default: '8' }),
      clusterQueue('narrow', { default: '2' }),
      clusterQueue('placed', { 'on-minikube': '8' }),
      resourceFlavor('on-node-1', { 'kubernetes.io/hostname': 'node-1' }),
      clusterQueue('moving', { 'on-node-1': '1', 'on-minikube': '1' }),
      clusterQueue('contested', { default: '2' }, preempts),
      priorityClass('urgent', 1000),
    ]);
  });

  const world = async (about: string, of = 'roomy') => {
    const opened = await suite.world(about);
    await apply([localQueue('main', of)], '-n', opened.namespace);
    return opened;
  };

  const untilQueued = (place: FlowWorld, name: string, words: string) =>
    place.until(`${name} is queued: ${words}`, () => {
      const { reason, message } = place.flow(name)?.status ?? {};
      return reason === 'Queued' && message?.includes(words) === true;
    });

  it.concurrent('is admitted, runs and is finished, and its Workload is let go', async () => {
    const place = await world('whole');
    await place.apply(
      queued(flow('etl', [step('a', oneCpu), step('b', { ...oneCpu, after: ['a'] })])),
    );
    await place.untilState('etl', 'Succeed');
    const finished = await vi.waitFor(async () => {
      const found = await workloadOf(place, 'etl');
      expect(found?.metadata.finalizers).toBeUndefined();
      return found;
    });
    expect(conditionOf(finished!, 'Finished')).toMatchObject({
      status: 'True',
      reason: 'Succeeded',
    });
    expect(holds(finished!, 'Admitted')).toBe(true);
    expect(finished!.spec.podSets.map(({ name, count }) => [name, count])).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    const reasons = (await place.events())
      .filter(({ involvedObject }) => involvedObject?.kind === 'JobFlow')
      .map(({ reason }) => reason);
    expect(reasons).toEqual(
      expect.arrayContaining(['CreatedWorkload', 'Started', 'FinishedWorkload']),
    );
  });

  it.concurrent('has no Workload where it has no label of a queue', async () => {
    const place = await world('unlabelled');
    await place.apply(flow('free', [step('a', oneCpu)]));
    await place.untilState('free', 'Succeed');
    expect(await workloadsIn(place)).toEqual([]);
  });

  it.concurrent('leaves no Workload when it is deleted while it runs', async () => {
    const place = await world('deleted');
    await place.apply(queued(flow('gone', [step('a', { ...oneCpu, runFor: untilEnded })])));
    await place.untilRunning('gone-a');
    await place.delete('JobFlow', 'gone');
    await vi.waitFor(async () => expect(await workloadsIn(place)).toEqual([]));
  });

  it.concurrent(
    'waits without a LocalQueue, and says in its status what it waits for',
    async () => {
      const place = await suite.world('no-queue');
      await place.apply(queued(flow('lost', [step('a', oneCpu)])));
      await untilQueued(place, 'lost', "LocalQueue main doesn't exist");
      await apply([localQueue('main', 'roomy')], '-n', place.namespace);
      await place.untilState('lost', 'Succeed');
    },
  );

  it.concurrent('runs its Pods where Kueue has placed them', async () => {
    const place = await world('placed', 'placed');
    await place.apply(queued(flow('here', [step('a', { ...oneCpu, runFor: untilEnded })])));
    const pod = await place.untilRunning('here-a');
    expect(pod.spec).toMatchObject({
      nodeName: 'minikube',
      nodeSelector: { 'kubernetes.io/hostname': 'minikube' },
    });
    expect(pod.metadata.labels).toMatchObject({ 'kueue.x-k8s.io/podset': 'a' });
    await place.endPod('here-a');
    await place.untilState('here', 'Succeed');
  });

  it.concurrent(
    'waits for quota, says how much is missing, and starts when there is some',
    async () => {
      const place = await suite.world('quota');
      await apply([localQueue('main', 'narrow')], '-n', place.namespace);
      const two = { pod: { containers: [container('2')] }, runFor: untilEnded };
      await place.apply(queued(flow('first', [step('a', two)])));
      await place.untilRunning('first-a');
      await place.apply(queued(flow('second', [step('a', two)])));
      await untilQueued(place, 'second', 'insufficient unused quota for cpu');
      await place.endPod('first-a');
      await place.untilRunning('second-a');
      await place.endPod('second-a');
      await place.untilState('second', 'Succeed');
    },
  );

  it.concurrent(
    'stops when its Workload is made inactive, and goes on without repeating a step',
    async () => {
      const place = await world('inactive');
      const long = { ...oneCpu, runFor: untilEnded };
      await place.apply(
        queued(flow('etl', [step('a', oneCpu), step('b', { ...long, after: ['a'] })])),
      );
      await place.untilRunning('etl-b');
      const before = await workloadOf(place, 'etl');
      await place.patch('Workload', before!.metadata.name, { spec: { active: false } });
      await place.until('its Pods are gone', () => place.pods('etl-b').length === 0);
      await vi.waitFor(async () => {
        const evicted = await workloadOf(place, 'etl');
        expect(conditionOf(evicted!, 'QuotaReserved')?.status).toBe('False');
      });
      expect(place.flow('etl')?.spec).toMatchObject({ suspend: true });
      expect(place.flow('etl')?.spec.podSetInfos).toBeUndefined();
      await place.patch('Workload', before!.metadata.name, { spec: { active: true } });
      await place.untilRunning('etl-b');
      await place.endPod('etl-b');
      await place.untilState('etl', 'Succeed');
      expect((await place.namesEverCreated()).filter((name) => name === 'etl-a')).toHaveLength(1);
    },
  );

  it.concurrent('gets another Workload when a user deletes the one that it has', async () => {
    const place = await world('rebuilt');
    await place.apply(queued(flow('etl', [step('a', { ...oneCpu, runFor: untilEnded })])));
    await place.untilRunning('etl-a');
    const before = await workloadOf(place, 'etl');
    await place.delete('Workload', before!.metadata.name);
    await vi.waitFor(async () => {
      const after = await workloadOf(place, 'etl');
      expect([undefined, before!.metadata.uid]).not.toContain(after?.metadata.uid);
    });
    await place.untilRunning('etl-a');
    await place.endPod('etl-a');
    await place.untilState('etl', 'Succeed');
  });

  it.concurrent(
    'gives way to a flow of higher priority, and goes on without repeating a step',
    async () => {
      const place = await suite.world('preempted');
      await apply([localQueue('main', 'contested')], '-n', place.namespace);
      const long = { ...oneCpu, runFor: untilEnded };
      await place.apply(
        queued(flow('low', [step('a', oneCpu), step('b', { ...long, after: ['a'] })])),
      );
      await place.untilRunning('low-b');
      const high = queued(
        flow('high', [step('a', { pod: { containers: [container('2')] }, runFor: untilEnded })]),
      );
      await place.apply({
        ...high,
        metadata: {
          ...high.metadata,
          labels: { ...high.metadata.labels, 'kueue.x-k8s.io/priority-class': 'urgent' },
        },
      });
      await place.untilRunning('high-a');
      // A Job is Suspended as soon as its Pods are being deleted.
      const left = place.pods('low-b');
      expect(left.filter(({ metadata }) => metadata.deletionTimestamp === undefined)).toEqual([]);
      await place.until('its Pods are gone', () => place.pods('low-b').length === 0);
      await place.untilState('low', 'Suspended');
      await place.endPod('high-a');
      await place.untilRunning('low-b');
      await place.endPod('low-b');
      await place.untilState('low', 'Succeed');
      expect((await place.namesEverCreated()).filter((name) => name === 'low-a')).toHaveLength(1);
    },
  );

  it.concurrent('waits for another admission when it is retried by hand', async () => {
    const place = await world('retried');
    await place.apply(queued(flow('etl', [step('a', { ...oneCpu, runFor: untilEnded })])));
    await place.untilRunning('etl-a');
    const before = await workloadOf(place, 'etl');
    await place.endPod('etl-a', 1);
    await place.untilState('etl', 'Failed');
    await vi.waitFor(async () => {
      const after = await workloadOf(place, 'etl');
      expect(conditionOf(after!, 'Finished')?.reason).toBe('Failed');
    });
    expect(place.flow('etl')?.spec.suspend).toBe(true);
    await place.patchFlow('etl', { metadata: { annotations: { 'millrace.dev/retry': '1' } } });
    await place.untilRunning('etl-a-r1');
    const after = await workloadOf(place, 'etl');
    expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
    await place.endPod('etl-a-r1');
    await place.untilState('etl', 'Succeed');
  });

  it.concurrent('goes on elsewhere when another admission places it elsewhere', async () => {
    const place = await world('moved', 'moving');
    const long = { ...oneCpu, runFor: untilEnded };
    await place.apply(queued(flow('etl', [step('a', long)])));
    const first = await place.untilRunning('etl-a');
    expect(first.spec).toMatchObject({ nodeName: 'node-1' });
    const workload = await workloadOf(place, 'etl');
    await place.patch('Workload', workload!.metadata.name, { spec: { active: false } });
    await place.until('its Pods are gone', () => place.pods('etl-a').length === 0);
    // Until its quota is given back, Kueue places the other one on minikube.
    await vi.waitFor(async () => {
      const evicted = await workloadOf(place, 'etl');
      expect(conditionOf(evicted!, 'QuotaReserved')?.status).toBe('False');
    });
    await place.apply(queued(flow('other', [step('a', long)])));
    await place.untilRunning('other-a');
    await place.patch('Workload', workload!.metadata.name, { spec: { active: true } });
    const second = await place.untilRunning('etl-a');
    expect(second.spec).toMatchObject({ nodeName: 'minikube' });
    for (const name of ['etl', 'other']) {
      await place.endPod(`${name}-a`);
      await place.untilState(name, 'Succeed');
    }
  });

  it.concurrent(
    'has no Workload of its own where its owner waits in a queue, and is suspended with it',
    async () => {
      const place = await world('owned');
      const long = { ...oneCpu, runFor: untilEnded };
      const [outer] = await place.apply(queued(flow('outer', [step('a', long)]), 'later'));
      const { apiVersion, kind } = outer!;
      const { name, uid } = outer!.metadata;
      const inner = queued(flow('inner', [step('a', long)]));
      const ownerReferences = [{ apiVersion, kind, name, uid, controller: true }];
      const metadata = { ...inner.metadata, ownerReferences };
      const spec = { ...inner.spec, suspend: false };
      await apply([{ ...inner, metadata, spec }], '-n', place.namespace);
      await place.until('it is suspended', () => place.flow('inner')?.spec.suspend === true);
      expect(await workloadOf(place, 'inner')).toBeUndefined();
      await apply([localQueue('later', 'roomy')], '-n', place.namespace);
      await place.untilRunning('outer-a');
      await place.patchFlow('inner', { spec: { suspend: false } });
      await place.endPod('inner-a');
      await place.untilState('inner', 'Succeed');
      expect(await workloadOf(place, 'inner')).toBeUndefined();
      await place.endPod('outer-a');
      await place.untilState('outer', 'Succeed');
    },
  );
});
