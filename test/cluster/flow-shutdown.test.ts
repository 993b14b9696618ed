import { expect, it } from 'vitest';
import { describeFlows } from '#test/support/flow-suite.ts';
import { flow, step, untilEnded } from '#test/support/flow-world.ts';

const retry = 'millrace.dev/retry';

/** `runs` runs until ended; `later` waits for it. */
const twoSteps = (name: string, spec = {}) =>
  flow(name, [step('runs', { runFor: untilEnded }), step('later', { after: ['runs'] })], spec);

describeFlows('spec.shutdown', (suite) => {
  it.concurrent(
    'Stop lets a running step finish, starts nothing new, and keeps the record (rule 25)',
    async () => {
      const world = await suite.world('shutdown-stop');
      await world.apply(twoSteps('stops'));
      await world.untilRunning('stops-runs');
      await world.patchFlow('stops', { spec: { shutdown: 'Stop' } });
      const skipped = await world.untilStep('stops', 'later', 'Skipped');
      expect(skipped.reason).toBe('Shutdown');
      const seen = world.flow('stops')?.status;
      expect(seen).toMatchObject({ state: 'Running', reason: 'ShuttingDown' });
      await world.endPod('stops-runs');
      const { status } = await world.untilState('stops', 'Failed');
      expect(status).toMatchObject({ reason: 'Shutdown', progress: '1/2' });
      expect(world.condition('stops', 'Failed')?.reason).toBe('Shutdown');
      expect(await world.namesEverCreated()).toEqual(['stops-runs']);
    },
  );

  it.concurrent(
    'Terminate after Stop deletes what runs, and a retry runs the rest once it is removed (rules 13 and 25)',
    async () => {
      const world = await suite.world('shutdown-terminate');
      await world.apply(twoSteps('ends'));
      await world.untilRunning('ends-runs');
      await world.patchFlow('ends', { spec: { shutdown: 'Stop' } });
      await world.untilStep('ends', 'later', 'Skipped');
      await world.patchFlow('ends', { spec: { shutdown: 'Terminate' } });
      const { status } = await world.untilState('ends', 'Failed');
      expect(status?.reason).toBe('Shutdown');
      expect(world.step('ends', 'runs')).toMatchObject({ state: 'Failed', reason: 'Shutdown' });
      await world.untilGone('ends-runs');
      await world.until('its Pod is gone', () => world.pods('ends-runs').length === 0);

      await world.kubectl(['annotate', 'mjf', 'ends', `${retry}=1`]);
      const refused = await world.until('the retry is refused', () => {
        const condition = world.condition('ends', 'RetryRefused');
        return condition?.status === 'True' && condition;
      });
      expect(refused).toMatchObject({ reason: 'Shutdown' });
      expect(refused.message).toContain('spec.shutdown is Terminate: remove it first');

      await world.patchFlow('ends', {
        metadata: { annotations: { [retry]: '2' } },
        spec: { shutdown: null },
      });
      await world.endPod('ends-runs-r1');
      await world.untilState('ends', 'Succeed');
      expect((await world.namesEverCreated()).toSorted()).toEqual([
        'ends-later',
        'ends-runs',
        'ends-runs-r1',
      ]);
    },
  );

  it.concurrent(
    'ends a suspended flow, whose Jobs would wait for ever (rules 15 and 25)',
    async () => {
      const world = await suite.world('shutdown-suspended');
      await world.apply(twoSteps('held'));
      await world.untilRunning('held-runs');
      await world.patchFlow('held', { spec: { suspend: true } });
      await world.untilStep('held', 'runs', 'Suspended');
      await world.patchFlow('held', { spec: { shutdown: 'Stop' } });
      const { status } = await world.untilState('held', 'Failed');
      expect(status?.reason).toBe('Shutdown');
      await world.untilGone('held-runs');
    },
  );

  it.concurrent('ends a flow before its start without a start (rule 25)', async () => {
    const world = await suite.world('shutdown-unstarted');
    await world.apply(twoSteps('never', { shutdown: 'Stop' }));
    const { status } = await world.untilState('never', 'Failed');
    expect(status).toMatchObject({ reason: 'Shutdown' });
    expect(status?.startTime).toBeUndefined();
    expect(await world.namesEverCreated()).toEqual([]);
  });
});
