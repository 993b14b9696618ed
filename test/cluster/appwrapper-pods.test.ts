/** AppWrappers whose Pods are replaced by others, come in waves, or never run. */
import { expect, it, vi } from 'vitest';
import { conditionStatus } from '#shared/domain/conditions.ts';
import { wrapperAnnotations } from '#shared/domain/wrapper-keys.ts';
import { poolLabel, testTaint, TestNodes } from '#test/support/daemons/test-nodes.ts';
import { describeFlows } from '#test/support/flow-suite.ts';
import { untilEnded, work } from '#test/support/flow-world.ts';
import { ObjectHistory } from '#test/support/flows/object-history.ts';
import { testExtent } from '#test/support/test-extent.ts';
import {
  appWrapper,
  statusOf,
  wrappedJob,
  wrappedPod,
} from '#test/support/wrappers/wrapper-manifests.ts';
import { untilWrapperIs, wrapperOf } from '#test/support/wrappers/wrapper-waits.ts';

const noPatience = { failureGracePeriodDuration: '0s', retryLimit: '0' };
const patience = { timeout: 100_000, interval: 100 };
/** The number in the original's table. In CI fewer prove the same. */
const crowd = testExtent() === 'full' ? 50 : 6;

describeFlows('the Pods of an AppWrapper', (suite) => {
  it.concurrent(
    'are replaced by their Job when their node is drained',
    async ({ onTestFinished }) => {
      const world = await suite.world('drained');
      const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
      await nodes.add(['one', 'two']);
      const pod = {
        ...{ restartPolicy: 'Never', nodeSelector: { [poolLabel]: nodes.pool } },
        tolerations: [{ key: testTaint, operator: 'Exists' }],
      } as const;
      const job = wrappedJob('job', { runFor: untilEnded, pod, job: { backoffLimit: 3 } });
      await world.apply(appWrapper('moved', [job], { settings: noPatience }));
      const { spec } = await world.untilRunning('job');
      const { nodeName: drained = '' } = spec;
      expect(await world.kubectl(['drain', drained])).toContain(`node/${drained} drained`);
      await world.until('a Pod runs on the other node', () =>
        world.pods('job').some(({ spec: { nodeName }, status }) => {
          return nodeName !== drained && status?.phase === 'Running';
        }),
      );
      await world.endPod('job', 0);
      await untilWrapperIs(world, 'moved', 'Succeeded');
      expect(statusOf(await wrapperOf(world, 'moved')).resettingCount ?? 0).toBe(0);
    },
  );

  it.concurrent('come in waves, and the last one counts', async () => {
    const world = await suite.world('waves');
    const job = wrappedJob('job', { job: { completions: 3, parallelism: 1, backoffLimit: 0 } });
    await world.apply(appWrapper('patient', [job], { settings: noPatience }));
    await untilWrapperIs(world, 'patient', 'Succeeded');
    await world.untilJob('job', 'has succeeded three times', ({ status }) => {
      const { succeeded } = (status ?? {}) as { readonly succeeded?: number };
      return succeeded === 3;
    });
  });

  it.concurrent('are reported when they do not run within the grace', async () => {
    const world = await suite.world('hangs');
    const settings = { ...noPatience, warmupGracePeriodDuration: '1s' };
    const pod = { restartPolicy: 'Never', nodeSelector: { nowhere: 'to-be-found' } };
    const job = wrappedJob('job', { pod, job: { backoffLimit: 0 } });
    await world.apply(appWrapper('stuck', [job], { settings }));
    await untilWrapperIs(world, 'stuck', 'Failed');
    const { conditions = [] } = statusOf(await wrapperOf(world, 'stuck'));
    const unhealthy = conditions.find(({ type }) => type === 'Unhealthy');
    expect(unhealthy).toMatchObject({ status: 'True', reason: 'InsufficientPodsReady' });
    expect(unhealthy?.message).toContain('not all Pods run although the grace of 1 s is over');
  });

  it.concurrent(
    'are created once more when an init container hangs, and given up when it does again (E21)',
    async ({ onTestFinished }) => {
      const world = await suite.world('init');
      const history = await ObjectHistory.open(suite.api(), 'AppWrapper');
      onTestFinished(() => history.close());
      const settings = {
        ...{ warmupGracePeriodDuration: '1h', retryLimit: '1', retryPausePeriodDuration: '0s' },
      };
      // Only the test binds the Pod and sets its status.
      const pod = {
        schedulerName: 'of-this-test',
        initContainers: [{ name: 'init', image: 'busybox:1.28', command: ['sleep', 'infinity'] }],
      };
      await world.apply(appWrapper('hangs', [wrappedPod('pod', { pod })], { settings }));
      await untilWrapperIs(world, 'hangs', 'Running');
      const status = {
        conditions: [{ type: 'Initialized', status: 'False', reason: 'ContainersNotInitialized' }],
        initContainerStatuses: [
          {
            ...{ name: 'init', image: 'busybox:1.28', imageID: '', ready: false, restartCount: 0 },
            state: { running: {} },
          },
        ],
      };
      await world.patch('Pod', 'pod', { status }, 'status');
      const shorter = { [wrapperAnnotations.warmupGrace]: '2s' };
      await world.patch('AppWrapper', 'hangs', { metadata: { annotations: shorter } });
      await untilWrapperIs(world, 'hangs', 'Failed');
      expect(statusOf(await wrapperOf(world, 'hangs')).resettingCount).toBe(1);
      await vi.waitFor(() => {
        const phases = history
          .sightings(world.namespace)
          .flatMap(({ object }) => statusOf(object).phase ?? []);
        expect(phases.filter((phase, at) => phase !== phases[at - 1])).toEqual([
          ...['Suspended', 'Resuming', 'Running', 'Resetting', 'Resuming', 'Running', 'Failed'],
        ]);
      });
    },
  );

  it.concurrent('of many AppWrappers that begin at once are all ready', async () => {
    const world = await suite.world('crowd');
    const labels = { app: 'one-of-many' };
    const { template } = work({ runFor: untilEnded, podMetadata: { labels } });
    const spec = { replicas: 2, selector: { matchLabels: labels }, template };
    const wrappers = Array.from({ length: crowd }, (_, index) => {
      const name = `w-${index}`;
      const metadata = { name };
      return appWrapper(name, [{ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec }]);
    });
    await world.apply(...wrappers);
    await vi.waitFor(async () => {
      const { items } = await world.api.list('AppWrapper', world.namespace);
      const states = items.map((each) => {
        const { phase = '', conditions } = statusOf(each);
        return `${phase}, ready: ${conditionStatus(conditions, 'PodsReady') ?? ''}`;
      });
      expect(states).toEqual(wrappers.map(() => 'Running, ready: True'));
    }, patience);
    expect(world.pods()).toHaveLength(2 * crowd);
    await Promise.all(wrappers.map(({ metadata }) => world.delete('AppWrapper', metadata.name)));
    await vi.waitFor(async () => {
      const { items } = await world.api.list('AppWrapper', world.namespace);
      expect(items).toEqual([]);
    }, patience);
    expect(await world.kubectl(['get', 'pods', '-o', 'name'])).toBe('');
  });
});
