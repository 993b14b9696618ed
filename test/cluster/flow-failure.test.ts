import { expect, it } from 'vitest';
import { describeFlows } from '#test/support/flow-suite.ts';
import { flow, step, type StepOptions, untilEnded } from '#test/support/flow-world.ts';

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
    'does not count the eviction of a Pod as a failure of its step (rule 13)',
    async () => {
      const world = await suite.world('drained');
      await world.apply(flow('drain', [step('a', { runFor: untilEnded })]));
      const { metadata } = await world.untilRunning('drain-a');
      const eviction = {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: metadata.name },
      };
      const path = `/api/v1/namespaces/${world.namespace}/pods/${metadata.name}/eviction`;
      await world.kubectl(['create', '--raw', path, '-f', '-'], JSON.stringify(eviction));
      await world.until('another Pod runs', () =>
        world
          .pods('drain-a')
          .some((pod) => pod.metadata.uid !== metadata.uid && pod.status?.phase === 'Running'),
      );
      await world.endPod('drain-a');
      await world.untilState('drain', 'Succeed');
      expect(await world.namesEverCreated()).toEqual(['drain-a']);
    },
  );

  it.concurrent(
    'says of a step that failed with a deleted Pod what became of the Pod',
    async () => {
      const world = await suite.world('pod-deleted');
      await world.apply(flow('drain', [step('a', { runFor: untilEnded })]));
      const { metadata } = await world.untilRunning('drain-a');
      await world.kubectl(['delete', 'pod', metadata.name]);
      const { status } = await world.untilState('drain', 'Failed');
      expect(status?.jobStatusList).toMatchObject([{ name: 'a', reason: 'BackoffLimitExceeded' }]);
      expect(status?.jobStatusList?.[0]?.message).toMatch(/its Pod (was deleted|is gone)/u);
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
      await world.until('its Jobs are gone', () => world.jobs().length === 0);
      await world.patchFlow('kept', { metadata: { annotations: { touched: 'yes' } } });
      await world.throughout(2_000, 'no Job comes back', () => world.jobs().length === 0);
      expect(world.flow('kept')?.status?.state).toBe('Succeed');
      expect(await world.namesEverCreated()).toEqual(['kept-a', 'kept-b', 'kept-c']);
    },
  );

  /** volcano#4134 and volcano#4442: a child that ended in one of these ways blocked its flow. */
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
