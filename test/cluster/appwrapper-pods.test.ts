/** What an AppWrapper makes of Pods that others replace, that come in waves, and that never run. */
import { expect, it } from 'vitest';
import { describeFlows } from '#test/support/flow-suite.ts';
import { untilEnded } from '#test/support/flow-world.ts';
import { appWrapper, statusOf, wrappedJob } from '#test/support/wrappers/wrapper-manifests.ts';
import { untilWrapperIs, wrapperOf } from '#test/support/wrappers/wrapper-waits.ts';

const noPatience = { failureGracePeriodDuration: '0s', retryLimit: '0' };

describeFlows('the Pods of an AppWrapper', (suite) => {
  it.concurrent('are replaced by their Job when their node is drained', async () => {
    const world = await suite.world('drained');
    const job = wrappedJob('job', { runFor: untilEnded, job: { backoffLimit: 3 } });
    await world.apply(appWrapper('moved', [job], { settings: noPatience }));
    const { metadata } = await world.untilRunning('job');
    await world.delete('Pod', metadata.name);
    await world.until('another Pod runs', () =>
      world
        .pods('job')
        .some(
          ({ metadata: { uid }, status }) => uid !== metadata.uid && status?.phase === 'Running',
        ),
    );
    await world.endPod('job', 0);
    await untilWrapperIs(world, 'moved', 'Succeeded');
    expect(statusOf(await wrapperOf(world, 'moved')).resettingCount ?? 0).toBe(0);
  });

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
});
