import { describe, expect, it } from 'vitest';
import { rfc3339 } from '#shared/domain/time.ts';
import { deployment, job, pod, podOf, PureWorld } from '../testing/pure-world.ts';
import { second, minute, strict } from '../testing/strict.ts';

describe('a fault', () => {
  it('of a Job that fails resets the wrapper as often as the limit says, and then fails it (E18)', () => {
    const world = new PureWorld([job('a')], {
      failureGracePeriodDuration: '0s',
      retryPausePeriodDuration: '5s',
      retryLimit: '2',
    });
    world.run('Running');
    for (let tries = 0; tries < 3; tries += 1) {
      world.endOf('a', false, 'BackoffLimitExceeded');
      world.settle();
      world.pass(5 * second);
      world.settle();
    }
    const again = ['Resetting', 'Resuming', 'Running'];
    expect(world.phases).toEqual([
      'Suspended',
      'Resuming',
      'Running',
      ...again,
      ...again,
      'Failed',
    ]);
    expect(world.wrapper.status?.resettingCount).toBe(2);
    expect(world.holds).toBe('deployed False, quota False');
    expect(world.message('Unhealthy')).toBe(
      'Job a failed: BackoffLimitExceeded; not tried again: no retry is left (resettingCount 2, retryLimit 2)',
    );
  });

  it('of a Job names its failed Pods with their exit codes', () => {
    const world = new PureWorld([job('a')], strict);
    world.run('Running');
    world.endOf('a', false, 'BackoffLimitExceeded');
    world.pods = [
      podOf(0, 'Failed', { name: 'a-1', exitCodes: [137] }),
      podOf(0, 'Running', { name: 'a-2' }),
    ];
    world.settle();
    expect(world.message('Unhealthy')).toContain(
      'Job a failed: BackoffLimitExceeded; Pod a-1 (exit code 137); not tried again: ',
    );
  });

  it('keeps the quota while the wrapper is reset', () => {
    const world = new PureWorld([job('a')], { retryPausePeriodDuration: '5s' });
    world.run('Running');
    world.endOf('a', false);
    expect(world.settle().requeueAtMs).toBe(world.nowMs + 5 * second);
    expect(world.phase).toBe('Resetting');
    expect(world.holds).toBe('deployed False, quota True');
    const deployed = world.wrapper.status?.conditions?.find(
      ({ type }) => type === 'ResourcesDeployed',
    );
    expect(deployed?.message).toBe(
      `its resources are gone, and will be created again at ${rfc3339(world.nowMs + 5 * second)}`,
    );
  });

  it('of Pods that never start comes after the warmup (E21)', () => {
    const world = new PureWorld([pod('a')], {
      warmupGracePeriodDuration: '10s',
      retryPausePeriodDuration: '5s',
      retryLimit: '1',
    });
    world.run('Pending');
    world.pass(10 * second);
    world.settle();
    expect(world.phase).toBe('Resetting');
    world.pass(5 * second);
    world.settle();
    world.pods = [podOf(0, 'Pending', { trouble: 'Unschedulable: no node has a GPU' })];
    world.settle();
    expect(world.phase).toBe('Running');
    world.pass(10 * second);
    world.settle();
    expect(world.phase).toBe('Failed');
    expect(world.wrapper.status?.resettingCount).toBe(1);
    const late = 'InsufficientPodsReady: not all Pods run although the grace of 10 s is over';
    expect(world.events('Unhealthy')).toEqual([
      `${late}: Pod pod-0 is Pending`,
      expect.stringContaining(`${late}: Pod pod-0 (Unschedulable: no node has a GPU)`),
    ]);
  });

  it('of Pods that were never created names the resource that lacks them', () => {
    const world = new PureWorld([deployment('d', 2), pod('a')], strict);
    world.run('Running', 'Running');
    world.pass(minute);
    world.settle();
    expect(world.phase).toBe('Failed');
    expect(world.message('Unhealthy')).toContain(
      'Pods are missing although the grace of 60 s is over: Deployment d has 1 of 2 Pods',
    );
  });

  it('of Pods that do not start is none while their creation was late and not they', () => {
    const world = new PureWorld([pod('a')], { warmupGracePeriodDuration: '10s' });
    world.edit({ suspend: false });
    for (let steps = 0; steps < 3; steps += 1) world.step();
    expect(world.phase).toBe('Resuming');
    world.pass(minute);
    world.settle();
    world.podsAre('Pending');
    expect(world.settle().requeueAtMs).toBe(world.nowMs + 10 * second);
    expect(world.phase).toBe('Running');
  });

  it('of a Pod waits for the grace, and passes when the Pod is replaced', () => {
    const world = new PureWorld([deployment('d', 1)], { failureGracePeriodDuration: '10s' });
    world.run('Running');
    world.podsAre('Failed');
    expect(world.settle().requeueAtMs).toBe(world.nowMs + 10 * second);
    expect(world.condition('Unhealthy')).toBe('True/FoundFailedPods');
    world.pods = [podOf(0, 'Failed', { name: 'first' }), podOf(0, 'Running', { name: 'second' })];
    world.settle();
    expect(world.condition('Unhealthy')).toBe('False/FoundNoFailedPods');
  });

  it('by an exit code that is terminal leaves no other try (U11)', () => {
    const world = new PureWorld([pod('a')], {
      failureGracePeriodDuration: '0s',
      terminalExitCodes: '3',
    });
    world.run('Running');
    world.pods = [podOf(0, 'Failed', { exitCodes: [3] })];
    world.settle();
    expect(world.phase).toBe('Failed');
    const message =
      'failed and not replaced: Pod pod-0 (exit code 3); not tried again: exit code 3 of Pod pod-0 is in terminalExitCodes';
    expect(world.message('Finished')).toBe(message);
    expect(world.events('Unhealthy')).toEqual([`FoundFailedPods: ${message}`]);
    expect(world.wrapper.status?.resettingCount).toBeUndefined();
  });

  it('by an exit code beside those that may be tried again leaves no other try (U11)', () => {
    const world = new PureWorld([pod('a')], {
      failureGracePeriodDuration: '0s',
      retryableExitCodes: '10,20',
    });
    world.run('Running');
    world.pods = [podOf(0, 'Failed', { exitCodes: [10] })];
    world.settle();
    expect(world.phase).toBe('Resetting');
    world.pass(2 * minute);
    world.settle();
    world.pods = [podOf(0, 'Failed', { exitCodes: [1] })];
    world.settle();
    expect(world.phase).toBe('Failed');
    expect(world.message('Finished')).toContain(
      'not tried again: exit code 1 of Pod pod-0 is not in retryableExitCodes',
    );
  });

  it('by a lost Pod gives the grace anew, however long the others ran', () => {
    const world = new PureWorld([deployment('d', 1)]);
    world.run('Running');
    world.pass(60 * minute);
    world.podsAre('Pending');
    expect(world.settle().requeueAtMs).toBe(world.nowMs + 5 * minute);
    expect(world.condition('PodsReady')).toBe('False/InsufficientPodsReady');
    world.podsAre('Running');
    world.settle();
    expect(world.phase).toBe('Running');
    expect(world.condition('PodsReady')).toBe('True/SufficientPodsReady');
  });

  it('keeps the resources for as long as the author wants to look at them', () => {
    const world = new PureWorld([job('a')], {
      deletionOnFailureGracePeriodDuration: '1m',
      retryPausePeriodDuration: '0s',
      retryLimit: '1',
    });
    world.run('Running');
    world.endOf('a', false);
    world.settle();
    world.pass(60 * minute);
    world.endOf('a', false);
    expect(world.settle().requeueAtMs).toBe(world.nowMs + minute);
    expect(world.phase).toBe('Failed');
    expect(world.holds).toBe('deployed True, quota True');
    world.pass(minute);
    world.settle();
    expect(world.holds).toBe('deployed False, quota False');
  });
});
