import { describe, expect, it } from 'vitest';
import { asResourceVersion } from '#shared/domain/objects.ts';
import { deployment, job, pod, podOf, PureWorld, service } from './testing/pure-world.ts';
import { strict, second, minute } from './testing/strict.ts';

describe('a wrapper that runs', () => {
  it('goes through every phase from its creation to its success (U1)', () => {
    const world = new PureWorld([pod('a'), pod('b')], { successTTLDuration: '1m' });
    world.settle();
    expect(world.phases).toEqual(['Suspended']);
    expect(world.wrapper.metadata.finalizers).toBeUndefined();
    world.edit({ suspend: false });
    expect(world.step().reasons).toMatchObject([
      {
        code: 'FinalizerAdded',
        message: 'it stays from now on until its resources are gone',
      },
    ]);
    expect(world.wrapper.metadata.finalizers).toEqual(['workload.codeflare.dev/finalizer']);
    world.step();
    expect(world.phase).toBe('Resuming');
    expect(world.holds).toBe('deployed True, quota True');
    expect(world.objects.size).toBe(0);
    world.settle();
    expect([...world.objects.keys()]).toEqual(['a', 'b']);
    world.podsAre('Running', 'Pending');
    world.settle();
    expect(world.condition('PodsReady')).toBe('False/InsufficientPodsReady');
    world.podsAre('Running', 'Running');
    world.settle();
    expect(world.condition('PodsReady')).toBe('True/SufficientPodsReady');
    world.podsAre('Running', 'Succeeded');
    world.settle();
    expect(world.phase).toBe('Running');
    world.podsAre('Succeeded', 'Succeeded');
    world.settle();
    expect(world.phases).toEqual(['Suspended', 'Resuming', 'Running', 'Succeeded']);
    expect(world.holds).toBe('deployed True, quota False');
    world.pass(minute);
    world.settle();
    expect(world.holds).toBe('deployed False, quota False');
    expect(world.wrapper.status?.componentStatus?.[0]?.conditions).toContainEqual(
      expect.objectContaining({ reason: 'CompononetDeleted', message: 'Pod a is gone' }),
    );
    expect(world.objects.size).toBe(0);
  });

  it('gives its quota back when it is suspended and nothing of it is left (U2)', () => {
    const world = new PureWorld([pod('a'), pod('b')]);
    world.run('Running', 'Running');
    world.edit({ suspend: true });
    world.isStuck = true;
    world.settle();
    expect(world.phase).toBe('Suspending');
    const reasons = world.operations.map((each) => (each.kind === 'emitEvent' ? each.reason : ''));
    expect(reasons).toContain('Suspending');
    expect(world.holds).toBe('deployed True, quota True');
    world.isStuck = false;
    world.objects.clear();
    world.settle();
    expect(world.phase).toBe('Suspending');
    world.podsAre();
    world.settle();
    expect(world.phase).toBe('Suspended');
    expect(world.holds).toBe('deployed False, quota False');
  });

  it('completes its suspension although it is resumed meanwhile, and runs again', () => {
    const world = new PureWorld([pod('a')]);
    world.run('Running');
    world.edit({ suspend: true });
    world.step();
    world.edit({ suspend: false });
    world.settle();
    expect(world.phases.slice(3)).toEqual(['Suspending', 'Suspended', 'Resuming', 'Running']);
  });

  it('fails when a Pod fails, and keeps its quota until its resources are gone (U3)', () => {
    const world = new PureWorld([pod('a'), pod('b')], strict);
    world.run('Running', 'Running');
    world.podsAre('Running', 'Failed');
    world.step();
    expect(world.phase).toBe('Failed');
    expect(world.holds).toBe('deployed True, quota True');
    world.settle();
    expect(world.holds).toBe('deployed False, quota False');
    expect(world.condition('Unhealthy')).toBe('True/FoundFailedPods');
  });

  it('fails when a resource can never be created (U4)', () => {
    const world = new PureWorld([pod('a'), pod('b')], strict);
    world.refused.set('b', 'Invalid');
    world.edit({ suspend: false });
    for (let steps = 0; steps < 4; steps += 1) world.step();
    expect(world.phase).toBe('Failed');
    expect(world.holds).toBe('deployed True, quota True');
    expect(world.condition('PodsReady')).toBe('False/Resuming');
    expect(world.condition('Unhealthy')).toBe('True/CreateFailed');
    expect([...world.objects.keys()]).toEqual(['a']);
  });

  it('is left alone when another controller manages it', () => {
    const world = new PureWorld([pod('a')]);
    world.edit({ managedBy: 'kueue.x-k8s.io/multikueue' });
    expect(world.step().plan).toEqual([]);
  });
});

describe('success', () => {
  it('of a Job is what the Job says, not how many Pods have succeeded', () => {
    const world = new PureWorld([job('a', { parallelism: 1, completions: 2 })]);
    world.run('Running');
    world.podsAre('Succeeded');
    world.settle();
    expect(world.phase).toBe('Running');
    world.endOf('a', true);
    world.settle();
    expect(world.phase).toBe('Succeeded');
  });

  it('of a Job does not wait for Pods that it has replaced', () => {
    const world = new PureWorld([job('a')]);
    world.run('Running');
    world.pods = [podOf(0, 'Failed', { name: 'first' }), podOf(0, 'Succeeded', { name: 'second' })];
    world.endOf('a', true);
    world.settle();
    expect(world.phase).toBe('Succeeded');
  });

  it('waits for Pods that still run', () => {
    const world = new PureWorld([job('a')]);
    world.run('Running');
    world.endOf('a', true);
    world.settle();
    expect(world.phase).toBe('Running');
  });

  it('never comes to a wrapper with a Deployment whose Pods run', () => {
    const world = new PureWorld([job('a'), deployment('d', 1)]);
    world.run('Succeeded', 'Running');
    world.endOf('a', true);
    world.settle();
    expect(world.phase).toBe('Running');
  });

  it('counts its time to live from the success, however long it ran', () => {
    const world = new PureWorld([pod('a')], { successTTLDuration: '1m' });
    world.run('Running');
    world.pass(60 * minute);
    world.podsAre('Succeeded');
    expect(world.settle().requeueAtMs).toBe(world.nowMs + minute);
    expect(world.holds).toBe('deployed True, quota False');
  });
});

it('the status with the creation of its Pods also reports that they do not run yet', () => {
  const world = new PureWorld([pod('a'), deployment('b', 2)]);
  world.edit({ suspend: false });
  while (world.phase !== 'Running') world.step();
  expect(world.condition('PodsReady')).toBe('False/InsufficientPodsReady');
  expect(world.condition('Unhealthy')).toBe('False/FoundNoFailedPods');
  world.podsAre('Pending', 'Pending', 'Running');
  expect(world.step().plan).toEqual([]);
});

it('each status names the version that it was decided on: a stale reader overwrites none', () => {
  const world = new PureWorld([pod('a')]);
  const resourceVersion = asResourceVersion('7');
  world.wrapper = { ...world.wrapper, metadata: { ...world.wrapper.metadata, resourceVersion } };
  world.run('Running');
  const statuses = world.operations.filter(({ kind }) => kind === 'patchStatus');
  expect(statuses.length).toBeGreaterThan(3);
  for (const status of statuses) expect(status).toMatchObject({ resourceVersion });
});

describe('a wrapper that is deleted', () => {
  it('goes when its resources have, and its finalizer last', () => {
    const world = new PureWorld([pod('a')]);
    world.run('Running');
    world.isStuck = true;
    world.delete();
    world.settle();
    expect(world.phase).toBe('Terminating');
    expect(world.wrapper.metadata.finalizers).toHaveLength(1);
    world.isStuck = false;
    world.objects.clear();
    world.podsAre();
    world.settle();
    expect(world.holds).toBe('deployed False, quota False');
    expect(world.wrapper.metadata.finalizers).toEqual([]);
  });

  it('gives its quota back before its finalizer when it waits for its next try', () => {
    const world = new PureWorld([pod('a')], { failureGracePeriodDuration: '0s' });
    world.run('Running');
    world.podsAre('Failed');
    world.settle();
    expect(world.holds).toBe('deployed False, quota True');
    world.delete();
    world.settle();
    expect(world.holds).toBe('deployed False, quota False');
    expect(world.wrapper.metadata.finalizers).toEqual([]);
  });

  it('leaves its resources alone when it is deleted with --cascade=orphan', () => {
    const world = new PureWorld([job('a')]);
    world.run('Running');
    world.delete('orphan');
    world.settle();
    expect([...world.objects.keys()]).toEqual(['a']);
    expect(world.holds).toBe('deployed False, quota False');
    expect(world.wrapper.metadata.finalizers).toEqual(['orphan']);
  });

  it('goes at once when nothing of it exists', () => {
    const world = new PureWorld([pod('a')]);
    world.settle();
    world.delete();
    expect(world.settle().plan).toEqual([]);
    expect(world.phases).toEqual(['Suspended']);
  });

  it('deletes by force what does not go within the grace, Pods first', () => {
    const world = new PureWorld([job('a')], { forcefulDeletionGracePeriodDuration: '10s' });
    world.run('Running');
    world.isStuck = true;
    world.delete();
    expect(world.settle().requeueAtMs).toBe(world.nowMs + 10 * second);
    world.pass(10 * second);
    const forced = world.step().plan.flat();
    expect(forced).toMatchObject([
      { kind: 'delete', target: { name: 'pod-0' }, gracePeriodSeconds: 0 },
      { kind: 'emitEvent', type: 'Warning', reason: 'DeletionForced' },
      { kind: 'patchStatus' },
    ]);
    world.podsAre();
    expect(world.step().plan.flat()).toMatchObject([
      { kind: 'delete', target: { name: 'a' }, gracePeriodSeconds: 0 },
      { kind: 'patchStatus' },
    ]);
  });

  it('is looked at again soon while only Pods are left, whose end nothing reports', () => {
    const world = new PureWorld([job('a')], { forcefulDeletionGracePeriodDuration: '10s' });
    world.run('Running');
    world.isStuck = true;
    world.delete();
    world.settle();
    world.objects.clear();
    expect(world.step().requeueAtMs).toBe(world.nowMs + second);
    world.pass(4 * second);
    expect(world.step().requeueAtMs).toBe(world.nowMs + 4 * second);
    world.pass(16 * second);
    expect(world.step().requeueAtMs).toBe(world.nowMs + 20 * second);
  });

  it('says which finalizers keep what is left after the grace', () => {
    const world = new PureWorld([job('a'), service('b')], {
      forcefulDeletionGracePeriodDuration: '10s',
    });
    world.run('Running');
    world.isStuck = true;
    world.delete();
    world.settle();
    world.podsAre();
    world.objects.set('a', { ...world.objects.get('a')!, keptBy: ['example.com/keeps'] });
    world.pass(10 * second);
    world.step();
    const { conditions = [] } = world.wrapper.status ?? {};
    expect(conditions.find(({ type }) => type === 'DeletingResources')?.message).toBe(
      'deleted by force after 10 s, waits until these are gone: Job a, Service b; finalizers keep Job a by example.com/keeps',
    );
  });
});
