import { expect, it } from 'vitest';
import { describeFlows } from '#test/support/flow-suite.ts';
import { flow, step, untilEnded } from '#test/support/flow-world.ts';

const reason = 'FlowDeadlineExceeded';

/** `runs` runs until ended; `later` waits for it. */
const twoSteps = (name: string, spec = {}) =>
  flow(name, [step('runs', { runFor: untilEnded }), step('later', { after: ['runs'] })], spec);

describeFlows('spec.activeDeadlineSeconds', (suite) => {
  it.concurrent(
    'deletes what runs when the time is up, keeps the record, and a retry runs the rest (rules 13 and 26)',
    async () => {
      const world = await suite.world('deadline-late');
      await world.apply(twoSteps('late', { activeDeadlineSeconds: 600 }));
      await world.untilRunning('late-runs');
      await world.patchFlow('late', { spec: { activeDeadlineSeconds: 1 } });
      const { status } = await world.untilState('late', 'Failed');
      expect(status).toMatchObject({ reason, progress: '0/2' });
      expect(world.condition('late', 'Failed')?.reason).toBe(reason);
      expect(world.step('late', 'runs')).toMatchObject({ state: 'Failed', reason });
      expect(world.step('late', 'later')).toMatchObject({ state: 'Skipped', reason });
      await world.untilGone('late-runs');
      await world.until('its Pod is gone', () => world.pods('late-runs').length === 0);
      expect(await world.namesEverCreated()).toEqual(['late-runs']);
      const described = await world.kubectl(['describe', 'mjf', 'late']);
      expect(described).toContain(reason);

      await world.patchFlow('late', {
        metadata: { annotations: { 'millrace.dev/retry': '1' } },
        spec: { activeDeadlineSeconds: 600 },
      });
      await world.endPod('late-runs-r1');
      await world.untilState('late', 'Succeed');
    },
  );

  it.concurrent(
    'is changed while the flow runs, and does not count while the flow is suspended (rules 15 and 26)',
    async () => {
      const world = await suite.world('deadline-changed');
      await world.apply(twoSteps('held', { activeDeadlineSeconds: 600 }));
      await world.untilRunning('held-runs');
      await world.patchFlow('held', { spec: { suspend: true } });
      await world.untilStep('held', 'runs', 'Suspended');
      await world.patchFlow('held', { spec: { activeDeadlineSeconds: 1 } });
      const seen = await world.until('the change is seen', () => {
        const { metadata, status } = world.flow('held') ?? {};
        return status?.observedGeneration === metadata?.generation && status;
      });
      expect(seen).toMatchObject({ state: 'Suspended' });
      await world.patchFlow('held', { spec: { suspend: false } });
      const { status } = await world.untilState('held', 'Failed');
      expect(status?.reason).toBe(reason);
      await world.untilGone('held-runs');
    },
  );
});
