import { describe, expect, it } from 'vitest';
import { rfc3339 } from '#shared/domain/time.ts';
import { asResourceVersion } from '#shared/domain/objects.ts';
import { deployment, job, pod, podOf, PureWorld, service } from './testing/pure-world.ts';

/** As in upstream's unit tests: a failure counts at once. */
const strict = {
  failureGracePeriodDuration: '0s',
  retryPausePeriodDuration: '0s',
  retryLimit: '0',
};
const second = 1_000;
const minute = 60 * second;

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

describe('a resource', () => {
  it('is on record by its name before it is created', () => {
    const world = new PureWorld([pod('', undefined, { generateName: 'a-' })]);
    world.edit({ suspend: false });
    for (let steps = 0; steps < 3; steps += 1) world.step();
    expect(world.phase).toBe('Resuming');
    const name = world.wrapper.status?.componentStatus?.[0]?.name ?? '';
    expect(name).toMatch(/^a-[0-9a-f]{10}$/);
    world.settle();
    expect([...world.created.keys()]).toEqual([name]);
  });

  it('is tried again while its creation may still succeed, and no longer than the grace', () => {
    const world = new PureWorld([pod('a')], {
      admissionGracePeriodDuration: '10s',
      retryLimit: '0',
    });
    world.refused.set('a', 'QuotaExceeded');
    world.edit({ suspend: false });
    world.settle();
    expect(world.phase).toBe('Resuming');
    world.pass(9 * second);
    expect(world.settle().requeueAtMs).toBe(world.nowMs + second);
    world.pass(second);
    world.step();
    expect(world.phase).toBe('Failed');
  });

  it('is created once its quota is free', () => {
    const world = new PureWorld([pod('a'), pod('b')]);
    world.refused.set('b', 'QuotaExceeded');
    world.edit({ suspend: false });
    world.settle();
    world.refused.clear();
    world.pass(second);
    world.settle();
    expect(world.phase).toBe('Running');
    expect(world.operations.filter(({ kind }) => kind === 'create')).toHaveLength(3);
  });

  it('of a kind that the cluster does not serve makes the wrapper fail', () => {
    const world = new PureWorld([pod('a')]);
    const template = { apiVersion: 'example.com/v1', kind: 'Foo', metadata: { name: 'foo' } };
    world.edit({ suspend: false, components: [{ template }] });
    world.settle();
    expect(world.phase).toBe('Failed');
    expect(world.message('Unhealthy')).toContain(
      'the cluster serves no kind Foo in example.com/v1',
    );
  });

  it('that Millrace may not read keeps all from being created, and fails after the grace', () => {
    const settings = { admissionGracePeriodDuration: '10s', retryLimit: '0' };
    const world = new PureWorld([pod('a'), service('s')], settings);
    world.hidden.add('s');
    world.edit({ suspend: false });
    world.settle();
    expect([...world.objects.keys()]).toEqual([]);
    const why =
      'Millrace cannot read it (forbidden); a missing right is granted by a ClusterRole with the label millrace.dev/aggregate-to-wrapped=true';
    expect(world.wrapper.status?.componentStatus?.[1]?.conditions).toMatchObject([
      { status: 'False', reason: 'ComponentCreationErrored', message: why },
    ]);
    world.pass(10 * second);
    world.settle();
    expect(world.phase).toBe('Failed');
    expect(world.message('Unhealthy')).toBe(`Service s cannot be created: ${why}`);
    expect(world.holds).toBe('deployed False, quota False');
  });

  it('is created once Millrace may read it', () => {
    const world = new PureWorld([pod('a'), service('s')]);
    world.hidden.add('s');
    world.edit({ suspend: false });
    world.settle();
    world.hidden.clear();
    world.pass(second);
    world.settle();
    expect(world.phase).toBe('Running');
    expect([...world.objects.keys()]).toEqual(['a', 's']);
  });

  it('that Millrace may no longer read is not taken for one that is gone', () => {
    const world = new PureWorld([pod('a'), service('s')]);
    world.run('Running');
    world.hidden.add('s');
    expect(world.settle().requeueAtMs).toBe(world.nowMs + 15 * second);
    expect(world.phase).toBe('Running');
    expect(world.condition('Unhealthy')).toBe('True/UnreadableComponent');
    world.step();
    expect(world.events('Unhealthy')).toHaveLength(1);
    world.hidden.clear();
    world.settle();
    expect(world.condition('Unhealthy')).toBe('False/FoundNoFailedPods');
  });

  it('that Millrace may no longer read keeps its quota while the others are deleted', () => {
    const world = new PureWorld([pod('a'), service('s')]);
    world.run('Running');
    world.hidden.add('s');
    world.edit({ suspend: true });
    world.settle();
    expect([...world.objects.keys()]).toEqual(['s']);
    expect(world.holds).toBe('deployed True, quota True');
    expect(world.condition('DeletingResources')).toBe('True/UnreadableComponent');
    expect(world.events('UnreadableComponent')).toHaveLength(1);
    world.hidden.clear();
    world.settle();
    expect(world.phase).toBe('Suspended');
    expect([...world.objects.keys()]).toEqual([]);
  });

  it('with the kind and name of another one is never created', () => {
    const world = new PureWorld([pod('a'), service('a'), pod('a')]);
    world.edit({ suspend: false });
    world.settle();
    expect(world.phase).toBe('Failed');
    expect(world.message('Unhealthy')).toBe(
      'Pod a cannot be created: spec.components[0] has the same kind and name',
    );
    expect([...world.created.keys()]).toEqual([]);
  });

  it('that Millrace may not delete is reported, and keeps its quota', () => {
    const world = new PureWorld([pod('a'), service('s')]);
    world.run('Running');
    world.undeletable.add('s');
    world.edit({ suspend: true });
    expect(world.settle().requeueAtMs).toBe(world.nowMs + 15 * second);
    expect([...world.objects.keys()]).toEqual(['s']);
    expect(world.holds).toBe('deployed True, quota True');
    expect(world.condition('DeletingResources')).toBe('True/DeletionRefused');
    expect(world.message('DeletingResources')).toBe(
      'Service s cannot be deleted: forbidden; allow it, or delete it yourself',
    );
    world.step();
    expect(world.events('DeletionRefused')).toHaveLength(1);
    world.undeletable.clear();
    world.settle();
    expect(world.phase).toBe('Suspended');
  });

  it('that is deleted before the others are created is waited for no longer than the grace', () => {
    const world = new PureWorld([service('s'), pod('a')], { retryLimit: '0' });
    world.refused.set('a', 'QuotaExceeded');
    world.edit({ suspend: false });
    world.settle();
    const object = { ...world.objects.get('s')!, isDeleting: true, keptBy: ['example.com/keeps'] };
    world.objects.set('s', object);
    expect(world.step().requeueAtMs).toBe(world.nowMs + second);
    expect(world.wrapper.status?.componentStatus?.[0]?.conditions?.[0]?.message).toBe(
      'it was deleted, and has to be gone first; finalizers keep it: example.com/keeps',
    );
    world.pass(minute);
    world.step();
    expect(world.phase).toBe('Failed');
    expect(world.condition('Unhealthy')).toBe('True/CreateFailed');
  });

  it('that a user deleted makes the wrapper fail without another try (E19)', () => {
    const world = new PureWorld([job('a'), service('s')]);
    world.run('Running');
    world.objects.delete('a');
    world.step();
    expect(world.phase).toBe('Failed');
    expect(world.condition('Unhealthy')).toBe('True/MissingComponent');
  });

  it('that is being deleted counts as deleted', () => {
    const world = new PureWorld([job('a')]);
    world.run('Running');
    world.objects.set('a', { ...world.objects.get('a')!, isDeleting: true });
    world.step();
    expect(world.phase).toBe('Failed');
  });

  it('that has succeeded may be gone before the others have', () => {
    const world = new PureWorld([job('a'), pod('b')]);
    world.run('Running', 'Running');
    world.endOf('a', true);
    world.podsAre('Succeeded', 'Running');
    world.settle();
    world.objects.delete('a');
    world.podsAre('', 'Running');
    world.settle();
    expect(world.phase).toBe('Running');
    expect(world.condition('PodsReady')).toBe('True/SufficientPodsReady');
    world.podsAre('', 'Succeeded');
    world.settle();
    expect(world.phase).toBe('Succeeded');
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
    world.podsAre('Pending');
    world.settle();
    expect(world.phase).toBe('Running');
    world.pass(10 * second);
    world.settle();
    expect(world.phase).toBe('Failed');
    expect(world.wrapper.status?.resettingCount).toBe(1);
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
