import { expect, it } from 'vitest';
import { describeFlows } from '#test/support/flow-suite.ts';
import { flow, step, untilEnded } from '#test/support/flow-world.ts';

describeFlows('time to live', (suite) => {
  it.concurrent(
    'records a child with ttlSecondsAfterFinished 0 before it vanishes, and never runs it again (scenario 24, volcano state/running.go)',
    async () => {
      const world = await suite.world('child-ttl');
      const job = { ttlSecondsAfterFinished: 0 };
      await world.apply(
        flow('brief', [
          step('a', { job }),
          step('b', { job, after: ['a'] }),
          step('c', { job, after: ['a', 'b'] }),
        ]),
      );
      await world.untilState('brief', 'Succeed');
      await world.until('every child is removed', () => world.jobs().length === 0);
      await world.patchFlow('brief', { metadata: { annotations: { touched: 'yes' } } });
      await world.throughout(2_000, 'none comes back', () => world.jobs().length === 0);
      expect(await world.namesEverCreated()).toEqual(['brief-a', 'brief-b', 'brief-c']);
      expect(world.flow('brief')?.status?.state).toBe('Succeed');
    },
  );

  it.concurrent('removes a failed child after its TTL, too (rule 14)', async () => {
    const world = await suite.world('failed-child-ttl');
    await world.apply(
      flow('brief', [step('a', { exitCode: 1, job: { ttlSecondsAfterFinished: 0 } })]),
    );
    await world.untilState('brief', 'Failed');
    await world.until('the child is removed', () => world.jobs().length === 0);
    expect(world.step('brief', 'a')).toMatchObject({
      state: 'Failed',
      reason: 'BackoffLimitExceeded',
    });
  });

  it.concurrent(
    'deletes a finished flow and its children when its TTL is over (rule 14)',
    async () => {
      const world = await suite.world('flow-ttl');
      await world.apply(flow('expires', [step('a')], { ttlSecondsAfterFinished: 2 }));
      await world.untilState('expires', 'Succeed');
      await world.until(
        'flow and child are gone',
        () => world.flow('expires') === undefined && world.jobs().length === 0,
      );
    },
  );

  it.concurrent(
    'keeps a finished flow when its TTL is lengthened in time (rules 14 and 16)',
    async () => {
      const world = await suite.world('longer-ttl');
      await world.apply(flow('kept', [step('a')], { ttlSecondsAfterFinished: 4 }));
      await world.untilState('kept', 'Succeed');
      await world.patchFlow('kept', { spec: { ttlSecondsAfterFinished: 3_600 } });
      await world.throughout(6_000, 'the flow is there', () => world.flow('kept') !== undefined);
    },
  );

  it.concurrent(
    'does not delete a flow that is retried just before its TTL (scenario 30, argo#12636)',
    async () => {
      const world = await suite.world('retried-in-time');
      await world.apply(
        flow('revived', [step('a', { runFor: untilEnded })], { ttlSecondsAfterFinished: 5 }),
      );
      await world.endPod('revived-a', 1);
      const { status } = await world.untilState('revived', 'Failed');
      const endMs = Date.parse(status?.completionTime ?? '') + 5_000;
      await world.throughout(
        endMs - Date.now() - 2_000,
        'the flow waits for its end',
        () => world.flow('revived') !== undefined,
      );
      await world.patchFlow('revived', {
        metadata: { annotations: { 'millrace.dev/retry': '1' } },
      });
      await world.untilRunning('revived-a-r1');
      await world.throughout(5_000, 'the flow is there', () => world.flow('revived') !== undefined);
      await world.endPod('revived-a-r1');
      await world.untilState('revived', 'Succeed');
    },
  );
});
