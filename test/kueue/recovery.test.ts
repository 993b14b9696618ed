/** Queued work while Millrace or Kueue is away. */
import { beforeAll, expect, it, vi } from 'vitest';
import { asWorkload, conditionOf, holds } from '#functions/kueue-workload-sync/workload.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { flow, step, untilEnded } from '#test/support/flow-world.ts';
import { ObjectHistory } from '#test/support/flows/object-history.ts';
import { describeKueue } from '#test/support/kueue/kueue-suite.ts';
import { container, queued, workloadOf, workloadsIn } from '#test/support/kueue/queued.ts';
import { clusterQueue, localQueue, resourceFlavor } from '#test/support/kueue/queues.ts';

describeKueue('queued work', (suite) => {
  const { apply } = suite;
  beforeAll(() => apply([resourceFlavor('default'), clusterQueue('roomy', { default: '8' })]));

  it('leaves no Workload where the last flow is deleted while Millrace is down', async () => {
    const world = await suite.world('left');
    await apply([localQueue('main', 'roomy')], '-n', world.namespace);
    const long = { pod: { containers: [container('1')] }, runFor: untilEnded };
    await world.apply(queued(flow('last', [step('a', long)])));
    await world.untilRunning('last-a');
    await suite.stopMillrace();
    await world.delete('JobFlow', 'last');
    await world.until('its Job is gone', () => world.jobs().length === 0);
    const [left] = await workloadsIn(world);
    expect(left?.metadata.finalizers).toEqual(['kueue.x-k8s.io/resource-in-use']);
    await suite.startMillrace();
    await vi.waitFor(async () => expect(await workloadsIn(world)).toEqual([]));
  });

  it('is evicted once and then deactivated where its Pods are never ready, and stays so when Kueue restarts', async () => {
    const restarted = async (otherwise?: object) => {
      await suite.kueue().kill();
      await suite.kueue().start(otherwise);
    };
    const [world, other] = [await suite.world('never-ready'), await suite.world('other')];
    for (const { namespace } of [world, other]) {
      await apply([localQueue('main', 'roomy')], '-n', namespace);
    }
    const noJobs = { hard: { 'count/jobs.batch': '0' } };
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'no-jobs' } };
    await apply([{ ...quota, spec: noJobs }], '-n', world.namespace);
    const history = await ObjectHistory.open<KubeObject>(world.api, 'Workload');
    const requeuingStrategy = { backoffBaseSeconds: 1, backoffLimitCount: 1 };
    await restarted({ waitForPodsReady: { timeout: '1s', requeuingStrategy } });
    const steps = [step('a', { pod: { containers: [container('1')] } })];
    await world.apply(queued(flow('etl', steps)));
    await vi.waitFor(async () => {
      const workload = (await workloadOf(world, 'etl'))!;
      expect(workload.spec.active).toBe(false);
      expect(conditionOf(workload, 'Evicted')).toMatchObject({
        ...{ status: 'True', reason: 'DeactivatedDueToRequeuingLimitExceeded' },
      });
      expect(workload.status?.requeueState).toBeUndefined();
      expect(holds(workload, 'QuotaReserved')).toBe(false);
    });
    await history.close();
    const seen = history.sightings(world.namespace).map(({ object }) => asWorkload(object));
    const evicted = seen.find(
      (each) => conditionOf(each, 'Requeued')?.reason === 'PodsReadyTimeout',
    );
    expect(evicted?.status?.requeueState?.count).toBe(1);
    expect(conditionOf(evicted!, 'Evicted')).toMatchObject({
      ...{ status: 'True', reason: 'PodsReadyTimeout' },
      message: `Exceeded the PodsReady timeout ${world.namespace}/${evicted!.metadata.name}`,
    });
    for (const type of ['Requeued', 'Admitted', 'QuotaReserved'] as const) {
      expect(conditionOf(evicted!, type)?.status).toBe('False');
    }
    const reasons = seen.map((each) => conditionOf(each, 'Requeued')?.reason);
    expect(reasons).toContain('BackoffFinished');
    await restarted();
    await other.apply(queued(flow('etl', steps)));
    await other.untilState('etl', 'Succeed');
    const late = (await workloadOf(world, 'etl'))!;
    expect([late.spec.active, holds(late, 'QuotaReserved')]).toEqual([false, false]);
    await world.until(
      'the flow says so',
      () => world.flow('etl')?.status?.message?.includes('its Workload is not active') === true,
    );
    expect(world.flow('etl')?.spec.suspend).toBe(true);
    expect(world.pods('etl-a')).toEqual([]);
  });
});
