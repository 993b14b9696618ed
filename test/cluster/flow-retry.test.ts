import { expect, it } from 'vitest';
import { describeFlows } from '#test/support/flow-suite.ts';
import { flow, step, untilEnded } from '#test/support/flow-world.ts';

const retry = 'millrace.dev/retry';
const twoRetries = { limit: 2, backoffSeconds: 1, factor: 1 } as const;

describeFlows('retries', (suite) => {
  it.concurrent(
    'retries with a new Job per attempt; the third one succeeds, dependants run (scenario 28, rule 13)',
    async () => {
      const world = await suite.world('retries');
      await world.apply(
        flow('again', [
          step('a', { runFor: untilEnded, retryPolicy: twoRetries }),
          step('b', { after: ['a'] }),
        ]),
      );
      await world.endPod('again-a', 1);
      await world.endPod('again-a-r1', 1);
      await world.endPod('again-a-r2', 0);
      await world.untilState('again', 'Succeed');
      expect(world.step('again', 'a')).toMatchObject({
        state: 'Succeed',
        attempt: 2,
        jobName: 'again-a-r2',
      });
      const jobs = await world.kubectl(['get', 'jobs', '-o', 'name']);
      expect(jobs.trim().split('\n').toSorted()).toEqual([
        'job.batch/again-a',
        'job.batch/again-a-r1',
        'job.batch/again-a-r2',
        'job.batch/again-b',
      ]);
      expect(await world.namesEverCreated()).toHaveLength(4);
    },
  );

  it.concurrent('fails a step whose retries are used up (rule 13)', async () => {
    const world = await suite.world('used-up');
    await world.apply(
      flow('used', [
        step('a', { exitCode: 1, retryPolicy: { limit: 1, backoffSeconds: 1 } }),
        step('b', { after: ['a'] }),
      ]),
    );
    const { status } = await world.untilState('used', 'Failed');
    expect(statesOf(status?.jobStatusList)).toEqual({ a: 'Failed', b: 'Skipped' });
    expect(await world.namesEverCreated()).toEqual(['used-a', 'used-a-r1']);
  });

  it.concurrent('waits for the back-off before it tries again (rule 13)', async () => {
    const world = await suite.world('back-off');
    await world.apply(
      flow('slow', [
        step('a', {
          exitCode: 1,
          retryPolicy: { limit: 2, backoffSeconds: 2, factor: 2, capSeconds: 3 },
        }),
      ]),
    );
    await world.untilState('slow', 'Failed');
    const created = (await world.jobsEverCreated()).map(({ receivedAtMs }) => receivedAtMs);
    expect(created).toHaveLength(3);
    // 2 s, then 4 s capped at 3 s; the stamps of a Failed condition have whole seconds.
    expect(created[1]! - created[0]!).toBeGreaterThan(2_000);
    expect(created[2]! - created[1]!).toBeGreaterThan(3_000);
  });

  it.concurrent(
    'retries failed and skipped steps once per nonce and leaves done ones alone (scenario 29, argo#16450)',
    async () => {
      const world = await suite.world('nonce');
      await world.apply(
        flow('manual', [
          step('done'),
          step('fails', { after: ['done'], runFor: untilEnded }),
          step('skipped', { after: ['fails'] }),
        ]),
      );
      await world.endPod('manual-fails', 1);
      await world.untilState('manual', 'Failed');
      const nonce = { metadata: { annotations: { [retry]: 'first' } } };
      await world.patchFlow('manual', nonce);
      await world.patchFlow('manual', {
        metadata: { annotations: { [retry]: 'first', unrelated: 'change' } },
      });
      await world.endPod('manual-fails-r1', 1);
      await world.untilStep('manual', 'fails', 'Failed');
      await world.untilState('manual', 'Failed');
      await world.patchFlow('manual', {
        metadata: { annotations: { unrelated: 'second change' } },
      });
      await world.throughout(
        2_000,
        'the same nonce starts nothing more',
        () => world.jobs().length === 3,
      );

      await world.patchFlow('manual', { metadata: { annotations: { [retry]: 'second' } } });
      await world.endPod('manual-fails-r2', 0);
      await world.untilState('manual', 'Succeed');
      expect(world.step('manual', 'done')?.attempt ?? 0).toBe(0);
      expect(await world.namesEverCreated()).toEqual([
        'manual-done',
        'manual-fails',
        'manual-fails-r1',
        'manual-fails-r2',
        'manual-skipped',
      ]);
    },
  );
});

function statesOf(steps: readonly { readonly name: string; readonly state: string }[] = []) {
  return Object.fromEntries(steps.map(({ name, state }) => [name, state]));
}
