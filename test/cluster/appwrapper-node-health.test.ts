/** AppWrappers on a real API server that use the GPUs of nodes, when the label of a node reports broken GPUs. */
import { expect, it, vi } from 'vitest';
import { poolLabel, testTaint, TestNodes } from '#test/support/daemons/test-nodes.ts';
import { describeFlows } from '#test/support/flow-suite.ts';
import { untilEnded } from '#test/support/flow-world.ts';
import { appWrapper, statusOf, wrappedJob } from '#test/support/wrappers/wrapper-manifests.ts';

const gpuHealth = 'autopilot.ibm.com/gpuhealth';
const gpu = 'nvidia.com/gpu';
const gpus = { [gpu]: '4' };

describeFlows('an AppWrapper that uses GPUs', (suite) => {
  it.concurrent(
    'moves to another node when the one where it runs says that its GPUs are broken (E20)',
    async ({ onTestFinished }) => {
      const world = await suite.world('gpus');
      const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
      const names = await nodes.add(['one', 'two']);
      const status = { capacity: gpus, allocatable: gpus };
      await nodes.each(names, (name) => nodes.patch(name, { status }, 'status'));
      const pod = {
        ...{ restartPolicy: 'Never', nodeSelector: { [poolLabel]: nodes.pool } },
        tolerations: [{ key: testTaint, operator: 'Exists' }],
        containers: [{ name: 'main', image: 'busybox:1.28', resources: { limits: gpus } }],
      } as const;
      const settings = { retryPausePeriodDuration: '0s' };
      await world.apply(
        appWrapper('trains', [wrappedJob('job', { runFor: untilEnded, pod })], { settings }),
      );
      const statusNow = async () =>
        statusOf(await world.api.get('AppWrapper', { namespace: world.namespace, name: 'trains' }));
      const untilReady = () =>
        vi.waitFor(async () => {
          const { phase, conditions = [] } = await statusNow();
          const ready = conditions.find(({ type }) => type === 'PodsReady')?.status;
          expect([phase, ready], JSON.stringify(conditions)).toEqual(['Running', 'True']);
          return world.kubectl(['get', 'pods', '-o', 'jsonpath={.items[*].spec.nodeName}']);
        });
      const first = await untilReady();
      expect(names).toContain(first);
      await nodes.patch(first, { metadata: { labels: { [gpuHealth]: 'EVICT' } } });
      await vi.waitFor(async () =>
        expect((await world.events()).map(({ message }) => message)).toContainEqual(
          expect.stringContaining(`uses ${gpu} of node ${first}`),
        ),
      );
      // The Event is written before the Pod is deleted.
      await vi.waitFor(async () =>
        expect(names.filter((name) => name !== first)).toContain(await untilReady()),
      );
      expect((await statusNow()).resettingCount).toBe(0);
    },
  );
});
