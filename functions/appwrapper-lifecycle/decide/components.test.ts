import { describe, expect, it } from 'vitest';
import { job, pod, PureWorld, service } from '../testing/pure-world.ts';
import { second, minute, strict } from '../testing/strict.ts';

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

  it('that could not be created keeps the reason, and the others are reported as gone', () => {
    const world = new PureWorld([pod('a'), pod('b')], strict);
    world.refused.set('b', 'Invalid');
    world.edit({ suspend: false });
    world.settle();
    expect(world.phase).toBe('Failed');
    expect(world.holds).toBe('deployed False, quota False');
    expect(world.wrapper.status?.componentStatus).toMatchObject([
      { conditions: [{ reason: 'CompononetDeleted', message: 'Pod a is gone' }] },
      { conditions: [{ reason: 'ComponentCreationErrored', message: 'refused' }] },
    ]);
  });

  it('that Millrace may not read keeps all from being created, and fails after the grace', () => {
    const settings = { admissionGracePeriodDuration: '10s', retryLimit: '0' };
    const world = new PureWorld([pod('a'), service('s')], settings);
    world.hidden.add('s');
    world.edit({ suspend: false });
    world.settle();
    expect([...world.objects.keys()]).toEqual([]);
    const why = 'Millrace cannot read it: forbidden';
    expect(world.wrapper.status?.componentStatus?.[1]?.conditions).toMatchObject([
      { status: 'False', reason: 'ComponentCreationErrored', message: why },
    ]);
    world.pass(10 * second);
    world.settle();
    expect(world.phase).toBe('Failed');
    expect(world.message('Unhealthy')).toContain(`Service s cannot be created: ${why}`);
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
