/** What becomes of queued work when Millrace or Kueue is away. */
import { beforeAll, expect, it, vi } from 'vitest';
import { flow, step, untilEnded } from '#test/support/flow-world.ts';
import { describeKueue } from '#test/support/kueue/kueue-suite.ts';
import { container, queued, workloadsIn } from '#test/support/kueue/queued.ts';
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
});
