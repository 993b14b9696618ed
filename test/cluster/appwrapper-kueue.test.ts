/** The walk-through of AppWrappers: in a queue of a real Kueue, running when it is admitted, and Succeeded. */
import { beforeAll, expect, it, vi } from 'vitest';
import { describeKueue } from '#test/support/kueue/kueue-suite.ts';
import { clusterQueue, localQueue, resourceFlavor } from '#test/support/kueue/queues.ts';
import { appWrapper, statusOf, wrappedPod } from '#test/support/wrappers/wrapper-manifests.ts';

describeKueue('an AppWrapper in a queue of Kueue', (suite) => {
  const { apply } = suite;
  beforeAll(async () => {
    await apply([resourceFlavor('default'), clusterQueue('narrow', { default: '1' })]);
  });

  it('runs when it is admitted, and gives its quota to the next one', async () => {
    const world = await suite.world('walk');
    await apply([localQueue('user-queue', 'narrow')], '-n', world.namespace);
    const containers = [
      { name: 'main', image: 'busybox:1.28', resources: { requests: { cpu: '1' } } },
    ];
    const queued = (name: string) => {
      const wrapper = appWrapper(name, [wrappedPod(name, { pod: { containers } })], {
        suspend: true,
      });
      const labels = { 'kueue.x-k8s.io/queue-name': 'user-queue' };
      return { ...wrapper, metadata: { ...wrapper.metadata, labels } };
    };
    await world.apply(queued('first'), queued('second'));
    for (const name of ['first', 'second']) {
      await vi.waitFor(
        async () => {
          const wrapper = await world.api.get('AppWrapper', { namespace: world.namespace, name });
          expect(statusOf(wrapper).phase, JSON.stringify(wrapper?.status)).toBe('Succeeded');
        },
        { timeout: 60_000 },
      );
    }
  });
});
