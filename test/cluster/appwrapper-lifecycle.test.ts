/** AppWrappers on a real API server, unsuspended by hand: created, watched, reset and deleted. */
import { expect, it, vi } from 'vitest';
import { describeFlows } from '#test/support/flow-suite.ts';
import { type FlowWorld, untilEnded } from '#test/support/flow-world.ts';
import {
  appWrapper,
  statusOf,
  wrappedJob,
  wrappedPod,
  wrappedService,
} from '#test/support/wrappers/wrapper-manifests.ts';
import {
  endWrappedPod,
  untilWrapperIs,
  untilWrapperIsGone,
  wrapperOf,
} from '#test/support/wrappers/wrapper-waits.ts';

async function reasonOf(world: FlowWorld, name: string, type: string) {
  const { conditions = [] } = statusOf(await wrapperOf(world, name));
  const found = conditions.find((each) => each.type === type);
  return found && `${found.status} ${found.reason}`;
}

const namesIn = async (world: FlowWorld, kinds: string) => {
  const listed = await world.kubectl(['get', kinds, '-o', 'name']);
  return listed.split('\n').filter((name) => name !== '' && !name.includes('kube-root-ca'));
};

describeFlows('an AppWrapper', (suite) => {
  it.concurrent('runs a Pod, a Job and a Service, succeeds, and is counted', async () => {
    const world = await suite.world('wraps');
    const templates = [
      wrappedPod('pod', { runFor: untilEnded }),
      wrappedJob('job', { runFor: untilEnded }),
      wrappedService('service'),
    ];
    await world.apply(appWrapper('sample', templates, { suspend: true }));
    await untilWrapperIs(world, 'sample', 'Suspended');
    expect(await namesIn(world, 'pods,jobs,services')).toEqual([]);
    await world.patch('AppWrapper', 'sample', { spec: { suspend: false } });
    await untilWrapperIs(world, 'sample', 'Running');
    await vi.waitFor(async () =>
      expect(await reasonOf(world, 'sample', 'PodsReady')).toBe('True SufficientPodsReady'),
    );
    await endWrappedPod(world, 'pod', 0);
    await world.endPod('job', 0);
    await untilWrapperIs(world, 'sample', 'Succeeded');
    expect(await reasonOf(world, 'sample', 'QuotaReserved')).toBe('False Succeeded');
    expect(await namesIn(world, 'jobs,services')).toEqual(['job.batch/job', 'service/service']);
    expect(await suite.metrics()).toMatch(
      /^millrace_decisions_total\{function="appwrapper-lifecycle",outcome="applied"\} [1-9]/m,
    );
  });

  it.concurrent('is gone when everything that it wraps is gone', async () => {
    const world = await suite.world('deleted');
    const templates = [
      wrappedPod('pod', { runFor: untilEnded }),
      wrappedJob('job', { runFor: untilEnded }),
      wrappedService('service'),
    ];
    await world.apply(appWrapper('gone', templates));
    await vi.waitFor(async () =>
      expect(await reasonOf(world, 'gone', 'PodsReady')).toBe('True SufficientPodsReady'),
    );
    await world.delete('AppWrapper', 'gone', 'Background');
    await untilWrapperIsGone(world, 'gone');
    expect(await namesIn(world, 'pods,jobs,services')).toEqual([]);
  });

  it.concurrent(
    'gives its resources up while it is suspended, and creates them again',
    async () => {
      const world = await suite.world('suspended');
      await world.apply(appWrapper('sample', [wrappedJob('job', { runFor: untilEnded })]));
      await world.untilRunning('job');
      await world.patch('AppWrapper', 'sample', { spec: { suspend: true } });
      await untilWrapperIs(world, 'sample', 'Suspended');
      expect(await namesIn(world, 'pods,jobs')).toEqual([]);
      expect(await reasonOf(world, 'sample', 'QuotaReserved')).toBe('False Suspended');
      await world.patch('AppWrapper', 'sample', { spec: { suspend: false } });
      await world.endPod('job', 0);
      await untilWrapperIs(world, 'sample', 'Succeeded');
    },
  );

  it.concurrent('is reset when a Pod fails, and fails when its retries are used up', async () => {
    const world = await suite.world('reset');
    const settings = {
      failureGracePeriodDuration: '0s',
      retryPausePeriodDuration: '0s',
      retryLimit: '1',
    };
    const templates = [wrappedPod('pod', { exitCode: 1 })];
    await world.apply(appWrapper('unlucky', templates, { settings }));
    await untilWrapperIs(world, 'unlucky', 'Failed');
    expect(statusOf(await wrapperOf(world, 'unlucky')).resettingCount).toBe(1);
    await vi.waitFor(async () =>
      expect(await reasonOf(world, 'unlucky', 'QuotaReserved')).toBe('False Failed'),
    );
    expect(await namesIn(world, 'pods')).toEqual([]);
    const reasons = (await world.events()).map(({ reason }) => reason);
    expect(reasons.filter((each) => each === 'Unhealthy')).toHaveLength(2);
  });

  it.concurrent('fails when a user deletes a resource that it wraps', async () => {
    const world = await suite.world('missing');
    const templates = [wrappedJob('job', { runFor: untilEnded }), wrappedService('service')];
    await world.apply(appWrapper('robbed', templates));
    await untilWrapperIs(world, 'robbed', 'Running');
    await world.kubectl(['delete', 'service', 'service']);
    await untilWrapperIs(world, 'robbed', 'Failed');
    expect(await reasonOf(world, 'robbed', 'Unhealthy')).toBe('True MissingComponent');
  });

  it.concurrent('runs a Job that tries again by itself to its success', async () => {
    const world = await suite.world('retried');
    const settings = { failureGracePeriodDuration: '0s', retryLimit: '0' };
    const job = wrappedJob('job', { runFor: untilEnded, job: { backoffLimit: 3 } });
    await world.apply(appWrapper('patient', [job], { settings }));
    await world.endPod('job', 1);
    await world.endPod('job', 0);
    await untilWrapperIs(world, 'patient', 'Succeeded');
  });

  it.concurrent('fails with the words of the API server when a resource is invalid', async () => {
    const world = await suite.world('invalid');
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'job' }, spec: {} };
    await world.apply(appWrapper('wrong', [wrappedService('service'), job]));
    await untilWrapperIs(world, 'wrong', 'Failed');
    expect(await reasonOf(world, 'wrong', 'Unhealthy')).toBe('True CreateFailed');
    await vi.waitFor(async () => expect(await namesIn(world, 'services')).toEqual([]));
  });
});
