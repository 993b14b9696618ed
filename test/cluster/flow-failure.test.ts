import { expect, it } from 'vitest';
import { describeFlows } from '#test/support/flow-suite.ts';
import { flow, step, type StepOptions, untilEnded } from '#test/support/flow-world.ts';

const retry = 'millrace.dev/retry';
const twoRetries = { limit: 2, backoffSeconds: 1, factor: 1 } as const;

/** `fails` fails at once; `long` runs until ended; `later` needs `long` only. */
function failingBesideLong(
  name: string,
  failurePolicy?: 'ContinueIndependent' | 'FailFast' | 'CancelRunning',
) {
  return flow(
    name,
    [
      step('long', { runFor: untilEnded }),
      step('quick'),
      step('fails', { after: ['quick'], exitCode: 1 }),
      step('dependant', { after: ['fails'] }),
      step('later', { after: ['long'] }),
    ],
    failurePolicy === undefined ? {} : { failurePolicy },
  );
}

describeFlows('failures and retries', (suite) => {
  it.concurrent(
    'still starts independent steps after a failure, and fails when all is over (scenario 27, rule 12)',
    async () => {
      const world = await suite.world('continue');
      await world.apply(failingBesideLong('continues'));
      await world.untilStep('continues', 'fails', 'Failed');
      const failed = await world.until('StepFailed is True', () => {
        const condition = world.condition('continues', 'StepFailed');
        return condition?.status === 'True' && condition;
      });
      expect(failed.message).toContain('fails');
      expect(world.flow('continues')?.status?.state).toBe('Running');
      await world.endPod('continues-long');
      const { status } = await world.untilState('continues', 'Failed');
      expect(statesOf(status?.jobStatusList)).toEqual({
        long: 'Succeed',
        quick: 'Succeed',
        fails: 'Failed',
        dependant: 'Skipped',
        later: 'Succeed',
      });
    },
  );

  it.concurrent(
    'starts nothing new with FailFast and lets the rest finish (scenario 27, argo#13806)',
    async () => {
      const world = await suite.world('fail-fast');
      await world.apply(failingBesideLong('fast', 'FailFast'));
      await world.untilStep('fast', 'fails', 'Failed');
      expect(world.flow('fast')?.status?.state).toBe('Running');
      await world.endPod('fast-long');
      const { status } = await world.untilState('fast', 'Failed');
      expect(statesOf(status?.jobStatusList)).toMatchObject({ long: 'Succeed', later: 'Skipped' });
      expect(await world.namesEverCreated()).not.toContain('fast-later');
    },
  );

  it.concurrent('deletes what runs with CancelRunning (scenario 27, rule 12)', async () => {
    const world = await suite.world('cancel-running');
    await world.apply(failingBesideLong('cancels', 'CancelRunning'));
    const { status } = await world.untilState('cancels', 'Failed');
    expect(statesOf(status?.jobStatusList)).toMatchObject({ long: 'Failed', later: 'Skipped' });
    expect(world.step('cancels', 'long')?.reason).toBe('Cancelled');
    await world.untilGone('cancels-long');
    await world.until('its Pod is gone', () => world.pods('cancels-long').length === 0);
    expect((await world.namesEverCreated()).toSorted()).toEqual([
      'cancels-fails',
      'cancels-long',
      'cancels-quick',
    ]);
  });

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
    expect(created[2]! - created[1]!).toBeLessThan(8_000);
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

  it.concurrent(
    'fails a step whose running Job a user deleted, and does not create it again (scenario 26, rule 20)',
    async () => {
      const world = await suite.world('child-deleted');
      await world.apply(
        flow('robbed', [step('a', { runFor: untilEnded }), step('b', { after: ['a'] })]),
      );
      await world.untilRunning('robbed-a');
      await world.kubectl(['delete', 'job', 'robbed-a']);
      const failed = await world.untilStep('robbed', 'a', 'Failed');
      expect(failed.reason).toBe('ChildDeleted');
      await world.untilState('robbed', 'Failed');
      expect(await world.namesEverCreated()).toEqual(['robbed-a']);
    },
  );

  it.concurrent(
    'retries a deleted Job when its step has retries left (scenario 26, rule 20)',
    async () => {
      const world = await suite.world('child-deleted-retry');
      await world.apply(
        flow('robbed', [
          step('a', { runFor: untilEnded, retryPolicy: { limit: 1, backoffSeconds: 1 } }),
        ]),
      );
      await world.untilRunning('robbed-a');
      await world.kubectl(['delete', 'job', 'robbed-a']);
      await world.endPod('robbed-a-r1');
      await world.untilState('robbed', 'Succeed');
      expect(await world.namesEverCreated()).toEqual(['robbed-a', 'robbed-a-r1']);
    },
  );

  it.concurrent(
    'takes no notice when a finished Job is deleted, during the flow and after (scenario 26, argo#16294)',
    async () => {
      const world = await suite.world('finished-deleted');
      await world.apply(
        flow('kept', [
          step('a'),
          step('b', { runFor: untilEnded, after: ['a'] }),
          step('c', { after: ['a', 'b'] }),
        ]),
      );
      await world.untilStep('kept', 'a', 'Succeed');
      await world.untilRunning('kept-b');
      await world.kubectl(['delete', 'job', 'kept-a']);
      await world.endPod('kept-b');
      await world.untilState('kept', 'Succeed');
      await world.kubectl(['delete', 'job', '--all']);
      await world.patchFlow('kept', { metadata: { annotations: { touched: 'yes' } } });
      await world.throughout(2_000, 'no Job comes back', () => world.jobs().length === 0);
      expect(world.flow('kept')?.status?.state).toBe('Succeed');
      expect(await world.namesEverCreated()).toEqual(['kept-a', 'kept-b', 'kept-c']);
    },
  );

  /** volcano#4134 and volcano#4442: a child that ended in one of these ways left its flow waiting. */
  const endings: Readonly<Record<string, StepOptions>> = {
    BackoffLimitExceeded: { exitCode: 1 },
    DeadlineExceeded: { runFor: untilEnded, job: { activeDeadlineSeconds: 1 } },
    PodFailurePolicy: {
      exitCode: 42,
      job: {
        backoffLimit: 5,
        podFailurePolicy: {
          rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }],
        },
      },
    },
    FailedIndexes: {
      exitCode: 1,
      job: { completionMode: 'Indexed', completions: 1, backoffLimitPerIndex: 0 },
    },
  };

  it.concurrent.each(Object.entries(endings))(
    'volcano#4134, volcano#4442: a child that ends with %s ends its flow in Failed',
    async (reason, options) => {
      const world = await suite.world(`ending-${reason.toLowerCase()}`);
      await world.apply(flow('ends', [step('a', options), step('b', { after: ['a'] })]));
      const { status } = await world.untilState('ends', 'Failed');
      expect(status?.jobStatusList).toMatchObject([
        { name: 'a', state: 'Failed', reason },
        { name: 'b', state: 'Skipped' },
      ]);
      expect(status?.completionTime).toBeDefined();
    },
  );
});

function statesOf(steps: readonly { readonly name: string; readonly state: string }[] = []) {
  return Object.fromEntries(steps.map(({ name, state }) => [name, state]));
}
