import { describe, expect, it } from 'vitest';
import { defaultRules, type WrapperRules } from './rules.ts';
import { deployment, job, pod, podOf, PureWorld } from './testing/pure-world.ts';

const minute = 60_000;
const brokenNode = {
  name: 'node-1',
  resource: 'nvidia.com/gpu',
  label: 'autopilot.ibm.com/gpuhealth=EVICT',
};

function worldBy(
  rules: Partial<WrapperRules>,
  components: ConstructorParameters<typeof PureWorld>[0],
  settings: Readonly<Record<string, string>> = {},
): PureWorld {
  const world = new PureWorld(components, settings);
  world.rules = { ...defaultRules, ...rules };
  return world;
}

describe('a wrapper whose Pod runs where its GPU is broken', () => {
  it('is reset and runs again, and the reset is not counted (E20)', () => {
    const world = new PureWorld([pod('a')], { retryPausePeriodDuration: '0s' });
    world.run('Running');
    world.pods = [podOf(0, 'Running', { brokenNode })];
    world.step();
    expect(world.phase).toBe('Resetting');
    expect(world.condition('Unhealthy')).toBe('True/AutopilotNoExecute');
    expect(JSON.stringify(world.wrapper.status?.conditions)).toContain(
      'Pod pod-0 uses nvidia.com/gpu of node node-1, which is labelled autopilot.ibm.com/gpuhealth=EVICT',
    );
    world.settle();
    world.podsAre('Running');
    world.settle();
    expect(world.phase).toBe('Running');
    expect(world.condition('PodsReady')).toBe('True/SufficientPodsReady');
    expect(world.wrapper.status?.resettingCount).toBe(0);
  });

  it('fails when it may not be reset at all', () => {
    const world = new PureWorld([pod('a')], { retryLimit: '0' });
    world.run('Running');
    world.pods = [podOf(0, 'Running', { brokenNode })];
    world.step();
    expect(world.phase).toBe('Failed');
  });

  it('uses a retry up where new Pods are not kept away from such nodes', () => {
    const nodeHealth = { ...defaultRules.nodeHealth, keepsAway: false };
    const world = worldBy({ nodeHealth }, [pod('a')]);
    world.run('Running');
    world.pods = [podOf(0, 'Running', { brokenNode })];
    world.step();
    expect(world.wrapper.status?.resettingCount).toBe(1);
  });

  it('is left alone while that Pod is being deleted', () => {
    const world = new PureWorld([deployment('a', 2)]);
    world.run('Running');
    world.pods = [podOf(0, 'Running', { brokenNode, isDeleting: true })];
    world.step();
    expect(world.phase).toBe('Running');
  });
});

describe('an installation', () => {
  it('decides about graces and retries where the wrapper does not', () => {
    const faults = { ...defaultRules.faults, retryLimit: 0, failureGraceMs: 0 };
    const world = worldBy({ faults }, [pod('a')]);
    world.run('Failed');
    expect(world.phase).toBe('Failed');
    const own = worldBy({ faults }, [pod('a')], { retryLimit: '1' });
    own.run('Failed');
    expect(own.phase).toBe('Resetting');
  });

  it('names the scheduler of Pods whose template names none', () => {
    const world = worldBy({ schedulerName: 'binpacker' }, [
      pod('a'),
      pod('b', { schedulerName: 'own', containers: [] }),
    ]);
    world.run();
    const schedulers = [...world.created.values()].map(({ spec }) => spec);
    expect(schedulers).toMatchObject([{ schedulerName: 'binpacker' }, { schedulerName: 'own' }]);
  });

  it('may reset at once when a Pod is lost after the warmup, as the original does', () => {
    for (const [isStrict, phase] of [
      [true, 'Resetting'],
      [false, 'Running'],
    ] as const) {
      const world = worldBy({ isStrict }, [pod('a'), pod('b')]);
      world.run('Running', 'Running');
      world.pass(6 * minute);
      world.podsAre('Running', '');
      world.step();
      expect(world.phase, String(isStrict)).toBe(phase);
    }
  });

  it('may count failed Pods that their Job has replaced, as the original does', () => {
    for (const [isStrict, phase] of [
      [true, 'Resetting'],
      [false, 'Running'],
    ] as const) {
      const world = worldBy({ isStrict }, [job('a')], { failureGracePeriodDuration: '0s' });
      world.run('Running');
      world.pods = [podOf(0, 'Failed', { name: 'first' }), podOf(0, 'Running', { name: 'again' })];
      world.step();
      expect(world.phase, String(isStrict)).toBe(phase);
    }
  });

  it('may let the count of resets begin anew with each admission', () => {
    for (const [countsPerAdmission, count] of [
      [true, 0],
      [false, 1],
    ] as const) {
      const settings = { failureGracePeriodDuration: '0s', retryPausePeriodDuration: '0s' };
      const world = worldBy({ countsPerAdmission }, [pod('a')], settings);
      world.run('Failed');
      expect(world.wrapper.status?.resettingCount).toBe(1);
      world.edit({ suspend: true });
      world.settle();
      world.edit({ suspend: false });
      world.settle();
      expect(world.wrapper.status?.resettingCount).toBe(count);
    }
  });
});

describe('a wrapper that has succeeded', () => {
  it('is deleted with its resources when its author wants it so', () => {
    const world = new PureWorld([pod('a')], { successTTLDuration: '1m' });
    const { metadata } = world.wrapper;
    const annotations = { ...metadata.annotations, 'millrace.dev/delete-after-success': 'true' };
    world.wrapper = { ...world.wrapper, metadata: { ...metadata, annotations } };
    world.run('Succeeded');
    expect(world.step().plan).toEqual([]);
    world.pass(minute);
    expect(world.step().plan).toMatchObject([[{ kind: 'delete', target: { name: 'aw' } }]]);
  });
});

describe('a wrapper with more Pods than its podSets say', () => {
  it('says so, since there is no quota for them, until they are gone', () => {
    const world = new PureWorld([deployment('web', 1)]);
    world.run('Running');
    expect(world.condition('PodsExceeded')).toBeUndefined();
    world.pods = ['a', 'b'].map((name) => podOf(0, 'Running', { name }));
    const report = { kind: 'emitEvent', type: 'Warning', reason: 'PodsExceeded' };
    expect(world.step().plan[0]).toMatchObject([report]);
    expect(JSON.stringify(world.step().plan)).not.toContain('emitEvent');
    world.settle();
    expect(world.condition('PodsExceeded')).toBe('True/MorePodsThanDeclared');
    expect(JSON.stringify(world.wrapper.status?.conditions)).toContain(
      'Deployment web has 2 Pods, its podSets say 1',
    );
    world.podsAre('Running');
    world.settle();
    expect(world.condition('PodsExceeded')).toBe('False/PodsAsDeclared');
  });
});
