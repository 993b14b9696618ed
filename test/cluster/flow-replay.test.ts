import { expect, it } from 'vitest';
import { functions } from '#functions/list.ts';
import { redacted } from '#shared/domain/redact.ts';
import { describeFlows } from '#test/support/flow-suite.ts';
import { flow, has, jobTemplate, step, untilEnded } from '#test/support/flow-world.ts';

const secret = 'never-in-redis-7f3a';

describeFlows('the recorded decisions', (suite) => {
  it('are made again, byte for byte, from their records (scenario 36, I16)', async () => {
    const world = await suite.world('replay');
    await world.apply(jobTemplate('shared', { job: { ttlSecondsAfterFinished: 0 } }));
    await world.apply(
      flow('diamond', [
        step('a', { ref: 'shared' }),
        step('b', { after: ['a'] }),
        step('c', { after: ['a'] }),
        step('d', { after: ['b', 'c'] }),
      ]),
      flow('failing', [
        step('a', { exitCode: 1, retryPolicy: { limit: 1, backoffSeconds: 1 } }),
        step('b', { after: ['a'] }),
        step('c'),
      ]),
      flow('cyclic', [step('a', { after: ['b'] }), step('b', { after: ['a'] })]),
      flow('missing', [step('a', { ref: 'nowhere' })], { startDeadlineSeconds: 3 }),
      flow('paused', [step('a', { runFor: untilEnded })], {
        globalParams: { env: [{ name: 'PASSWORD', value: secret }] },
      }),
    );
    await world.untilRunning('paused-a');
    await world.patchFlow('paused', { spec: { suspend: true } });
    await world.untilState('paused', 'Suspended');
    // A Pod that the Job controller is about to delete would not count, however it ends.
    await world.untilJob('paused-a', 'is Suspended', (job) => has(job, 'Suspended'));
    await world.patchFlow('paused', { spec: { suspend: false } });
    await world.endPod('paused-a');
    const ends = {
      diamond: 'Succeed',
      failing: 'Failed',
      cyclic: 'Failed',
      missing: 'Failed',
      paused: 'Succeed',
    };
    for (const [name, state] of Object.entries(ends)) await world.untilState(name, state);

    const records = await suite.decisions();
    const ours = records.filter(({ key }) => key.namespace === world.namespace);
    expect(new Set(ours.map(({ key }) => key.name))).toEqual(new Set(Object.keys(ends)));
    // The decisions of other suites are recorded here, too. Each is repeated by its own function.
    for (const {
      function: name,
      snapshot,
      nowMs,
      isUnderLoad,
      plan,
      reasons,
      requeueAtMs,
    } of records) {
      const its = functions.find(({ subscription }) => subscription.name === name);
      const decision = its!.decide(snapshot, { nowMs, isUnderLoad });
      const again = {
        plan: decision.plan,
        reasons: decision.reasons,
        requeueAtMs: decision.requeueAtMs,
      };
      expect(JSON.stringify(again)).toBe(JSON.stringify({ plan, reasons, requeueAtMs }));
    }
    const stored = JSON.stringify(records);
    expect(stored).toContain(redacted);
    expect(stored).not.toContain(secret);
  });
});
