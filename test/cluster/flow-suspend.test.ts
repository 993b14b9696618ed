import { expect, it } from 'vitest';
import { describeFlows } from '#test/support/flow-suite.ts';
import { flow, has, step, untilEnded } from '#test/support/flow-world.ts';

const suspended = { spec: { suspend: true } };
const resumed = { spec: { suspend: false } };

describeFlows('suspending a flow', (suite) => {
  it.concurrent(
    'stops what runs and starts nothing new; what was stopped runs again (scenario 31, rule 15)',
    async () => {
      const world = await suite.world('suspend');
      await world.apply(
        flow('paused', [
          step('job1'),
          step('job2', { after: ['job1'], runFor: untilEnded }),
          step('job3', { after: ['job1'], runFor: untilEnded }),
          step('job4', { after: ['job2'] }),
        ]),
      );
      const first = await world.untilRunning('paused-job2');
      await world.untilRunning('paused-job3');
      await world.endPod('paused-job3');
      await world.untilStep('paused', 'job3', 'Succeed');
      await world.patchFlow('paused', suspended);
      await world.untilState('paused', 'Suspended');
      await world.untilJob('paused-job2', 'is Suspended', (job) => has(job, 'Suspended'));
      await world.until('its Pod is gone', () => world.pods('paused-job2').length === 0);
      await world.untilStep('paused', 'job2', 'Suspended');
      await world.throughout(
        2_000,
        'nothing new starts',
        () => world.job('paused-job4') === undefined,
      );

      await world.patchFlow('paused', resumed);
      const second = await world.untilRunning('paused-job2');
      expect(second.metadata.uid).not.toBe(first.metadata.uid);
      await world.untilState('paused', 'Running');
      await world.endPod('paused-job2');
      const { status } = await world.untilState('paused', 'Succeed');
      // The interrupted Pod counts neither as a failure (backoffLimit is 0) nor as a success.
      expect(world.job('paused-job2')?.status).toMatchObject({ succeeded: 1 });
      expect(world.job('paused-job2')?.status?.failed ?? 0).toBe(0);
      expect(status?.jobStatusList?.map(({ attempt }) => attempt ?? 0)).toEqual([0, 0, 0, 0]);
      expect(await world.namesEverCreated()).toHaveLength(4);
      const reasons = (await world.events())
        .filter(({ involvedObject }) => involvedObject?.kind === 'JobFlow')
        .map(({ reason }) => reason);
      expect(reasons.toSorted()).toEqual(['Completed', 'Resumed', 'Started', 'Suspended']);
    },
  );

  it.concurrent(
    'creates no child for a flow that is suspended from the beginning (rule 15, I4)',
    async () => {
      const world = await suite.world('born-suspended');
      await world.apply(flow('asleep', [step('a')], { suspend: true }));
      await world.untilState('asleep', 'Suspended');
      await world.throughout(2_000, 'nothing starts', () => world.jobs().length === 0);
      await world.patchFlow('asleep', resumed);
      await world.untilState('asleep', 'Succeed');
    },
  );

  it.concurrent('lets running steps finish with suspendMode SchedulingOnly (rule 15)', async () => {
    const world = await suite.world('scheduling-only');
    await world.apply(
      flow('gentle', [step('a', { runFor: untilEnded }), step('b', { after: ['a'] })], {
        suspendMode: 'SchedulingOnly',
      }),
    );
    const pod = await world.untilRunning('gentle-a');
    await world.patchFlow('gentle', suspended);
    await world.untilState('gentle', 'Suspended');
    await world.throughout(2_000, 'the same Pod runs on', () =>
      world
        .pods('gentle-a')
        .some(
          ({ metadata }) =>
            metadata.uid === pod.metadata.uid && metadata.deletionTimestamp === undefined,
        ),
    );
    await world.endPod('gentle-a');
    await world.untilStep('gentle', 'a', 'Succeed');
    await world.throughout(2_000, 'the next step waits', () => world.job('gentle-b') === undefined);
    await world.patchFlow('gentle', resumed);
    await world.untilState('gentle', 'Succeed');
  });

  it.concurrent(
    'leaves a step suspended by its template to the user, also when the flow resumes (scenario 32, rule 15)',
    async () => {
      const world = await suite.world('gate');
      await world.apply(
        flow('gated', [
          step('gate', { job: { suspend: true } }),
          step('beyond', { after: ['gate'] }),
        ]),
      );
      await world.untilStep('gated', 'gate', 'Suspended');
      await world.patchFlow('gated', suspended);
      await world.untilState('gated', 'Suspended');
      await world.patchFlow('gated', resumed);
      await world.throughout(
        3_000,
        'the gate stays closed',
        () =>
          world.job('gated-gate')?.spec.suspend === true && world.job('gated-beyond') === undefined,
      );
      expect(world.step('gated', 'gate')).toMatchObject({ state: 'Suspended' });
      await world.patch('Job', 'gated-gate', { spec: { suspend: false } });
      await world.untilState('gated', 'Succeed');
    },
  );

  it.concurrent('survives three rounds of suspend and resume (kubernetes#134521)', async () => {
    const world = await suite.world('three-rounds');
    await world.apply(flow('rounds', [step('a', { runFor: untilEnded })]));
    for (let round = 0; round < 3; round += 1) {
      await world.untilRunning('rounds-a');
      await world.untilState('rounds', 'Running');
      await world.patchFlow('rounds', suspended);
      await world.until('the Pod is gone', () => world.pods('rounds-a').length === 0);
      await world.untilState('rounds', 'Suspended');
      await world.patchFlow('rounds', resumed);
    }
    await world.endPod('rounds-a');
    await world.untilState('rounds', 'Succeed');
    expect(await world.namesEverCreated()).toEqual(['rounds-a']);
  });

  it.concurrent(
    'never ends in Succeed when it is deleted while suspended (argo#16776)',
    async () => {
      const world = await suite.world('deleted-suspended');
      await world.apply(flow('held', [step('a', { runFor: untilEnded })]));
      await world.untilRunning('held-a');
      await world.patchFlow('held', suspended);
      await world.untilState('held', 'Suspended');
      await world.delete('JobFlow', 'held', 'Foreground');
      await world.until(
        'everything is gone',
        () => world.flow('held') === undefined && world.jobs().length === 0,
      );
      expect(world.statesOf('held')).not.toContain('Succeed');
      expect(await world.namesEverCreated()).toEqual(['held-a']);
    },
  );

  it.concurrent('does not resume a child that the user suspended himself (rule 15)', async () => {
    const world = await suite.world('user-suspended');
    await world.apply(flow('mine', [step('a', { runFor: untilEnded })]));
    await world.untilRunning('mine-a');
    await world.patch('Job', 'mine-a', { spec: { suspend: true } });
    await world.untilStep('mine', 'a', 'Suspended');
    await world.patchFlow('mine', suspended);
    await world.untilState('mine', 'Suspended');
    await world.patchFlow('mine', resumed);
    await world.throughout(
      3_000,
      'the Job stays as the user left it',
      () => world.job('mine-a')?.spec.suspend === true,
    );
    await world.patch('Job', 'mine-a', { spec: { suspend: false } });
    await world.endPod('mine-a');
    await world.untilState('mine', 'Succeed');
  });
});
