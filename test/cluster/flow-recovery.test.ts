import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { annotations } from '#shared/domain/labels.ts';
import { describeFlows } from '#test/support/flow-suite.ts';
import { flow, has, jobTemplate, step, untilEnded } from '#test/support/flow-world.ts';

/** One after the other: each stops Millrace or empties its Redis. */
describeFlows('after an outage', (suite) => {
  const flushAll = async () => {
    const redis = new Redis(suite.redis().url);
    await redis.flushall();
    await redis.quit();
  };

  it('records what ended, TTL included, while Millrace was down (scenario 25, rule 14)', async () => {
    const world = await suite.world('unwatched-end');
    await world.apply(
      flow('unwatched', [
        step('a', { runFor: untilEnded, job: { ttlSecondsAfterFinished: 1 } }),
        step('b', { after: ['a'] }),
      ]),
    );
    await world.untilRunning('unwatched-a');
    await suite.stopMillrace();
    await world.endPod('unwatched-a');
    await world.untilJob('unwatched-a', 'is Complete', (job) => has(job, 'Complete'));
    await world.throughout(
      2_500,
      'its result is kept beyond its TTL',
      () => world.job('unwatched-a') !== undefined,
    );
    await suite.startMillrace();

    await world.untilState('unwatched', 'Succeed');
    await world.untilGone('unwatched-a');
    expect(await world.namesEverCreated()).toEqual(['unwatched-a', 'unwatched-b']);
  });

  it('starts a flow whose missing template appeared while Millrace was down (scenario 21, rule 18)', async () => {
    const world = await suite.world('unwatched-template');
    await world.apply(flow('waiting', [step('a', { ref: 'later' })]));
    await world.untilCondition('waiting', 'TemplatesResolved', 'JobTemplateNotFound');
    await suite.stopMillrace();
    await world.apply(jobTemplate('later'));
    await suite.startMillrace();
    await world.untilState('waiting', 'Succeed');
  });

  it('creates no second child when it died between create and status write (scenario 35, rule 21)', async () => {
    const world = await suite.world('lost-status');
    await world.apply(
      flow('healed', [
        step('a'),
        step('b', { after: ['a'], runFor: untilEnded }),
        step('c', { after: ['b'] }),
      ]),
    );
    await world.untilStep('healed', 'b', 'Running');
    const { uid } = world.job('healed-b')!.metadata;
    await suite.stopMillrace();
    const before = world.flowSightings('healed').findLast(({ status }) => {
      const b = status?.jobStatusList?.find(({ name }) => name === 'b');
      return b?.jobName === undefined;
    });
    const target = { namespace: world.namespace, name: 'healed' };
    await suite.api().replaceStatus('JobFlow', target, before?.status);
    await suite.startMillrace();

    const healed = await world.untilStep('healed', 'b', 'Running');
    expect(healed.jobUID).toBe(uid);
    await world.endPod('healed-b');
    await world.untilState('healed', 'Succeed');
    expect(await world.namesEverCreated()).toEqual(['healed-a', 'healed-b', 'healed-c']);
  });

  it('ends a step whose Job is Complete in its first observed event (volcano state/pending.go)', async () => {
    const world = await suite.world('complete-at-once');
    await world.apply(
      flow('early', [step('a', { runFor: untilEnded }), step('b', { after: ['a'] })]),
    );
    await world.untilRunning('early-a');
    await suite.stopMillrace();
    await suite
      .api()
      .replaceStatus('JobFlow', { namespace: world.namespace, name: 'early' }, undefined);
    await world.endPod('early-a');
    await world.untilJob('early-a', 'is Complete', (job) => has(job, 'Complete'));
    await suite.startMillrace();
    await world.untilState('early', 'Succeed');
    expect(await world.namesEverCreated()).toEqual(['early-a', 'early-b']);
  });

  it('goes on after FLUSHALL, also where only a timer would have woken it (scenario 35, I8, kube-green#512)', async () => {
    const world = await suite.world('flushed');
    await world.apply(
      flow('running', [step('a', { runFor: '3s' }), step('b', { after: ['a'] })]),
      flow('in-back-off', [
        step('a', { runFor: untilEnded, retryPolicy: { limit: 1, backoffSeconds: 5 } }),
        step('b', { after: ['a'] }),
      ]),
      flow('asleep', [step('a', { runFor: untilEnded })]),
    );
    await world.untilRunning('asleep-a');
    // Everything that a resumption needs is in the cluster, and nothing is in our store.
    await world.patchFlow('asleep', { spec: { suspend: true } });
    await world.untilState('asleep', 'Suspended');
    await world.endPod('in-back-off-a', 1);
    await world.until('the retry is planned', () => world.step('in-back-off', 'a')?.nextRetryTime);
    // All earlier events must be handled, so that only the timer is left.
    await sleep(1_500);
    await flushAll();

    // The loss is noticed at once, and not by the sweep half a minute later.
    await world.untilRunning('in-back-off-a-r1', 15_000);
    await world.endPod('in-back-off-a-r1');
    await world.patchFlow('asleep', { spec: { suspend: false } });
    await world.endPod('asleep-a');
    for (const name of ['running', 'in-back-off', 'asleep'])
      await world.untilState(name, 'Succeed');
    expect((await world.namesEverCreated()).toSorted()).toEqual([
      'asleep-a',
      'in-back-off-a',
      'in-back-off-a-r1',
      'in-back-off-b',
      'running-a',
      'running-b',
    ]);
  });

  it('completes a suspension that it died in the middle of, and undoes it whole (kueue#2566)', async () => {
    const world = await suite.world('half-suspended');
    const names = ['half-a', 'half-b'] as const;
    await world.apply(
      flow('half', [step('a', { runFor: untilEnded }), step('b', { runFor: untilEnded })]),
    );
    for (const name of names) await world.untilRunning(name);
    await suite.stopMillrace();
    await world.patchFlow('half', { spec: { suspend: true } });
    await world.patch('Job', 'half-a', {
      metadata: { annotations: { [annotations.suspendedBy]: world.uidOf('half') } },
      spec: { suspend: true },
    });
    await suite.startMillrace();
    await world.untilState('half', 'Suspended');
    await world.until('no Pod is left', () => world.pods().length === 0);
    await world.patchFlow('half', { spec: { suspend: false } });
    for (const name of names) await world.endPod(name);
    await world.untilState('half', 'Succeed');
    expect((await world.namesEverCreated()).toSorted()).toEqual(names);
  });

  it('keeps a deadline over a restart without any event (kruise#1409, rule 18)', async () => {
    const world = await suite.world('deadline');
    await world.apply(flow('late', [step('a', { ref: 'never' })], { startDeadlineSeconds: 5 }));
    await world.untilCondition('late', 'TemplatesResolved', 'JobTemplateNotFound');
    await suite.stopMillrace();
    expect(world.flow('late')?.status?.state).toBe('Pending');
    await flushAll();
    await suite.startMillrace();
    await world.untilState('late', 'Failed', 15_000);
    expect(await world.namesEverCreated()).toEqual([]);
  });

  it('does not start a finished flow again after restart and FLUSHALL (agent-stack-k8s#965, I2)', async () => {
    const world = await suite.world('finished-before');
    await world.apply(flow('over', [step('a'), step('b', { after: ['a'], exitCode: 1 })]));
    await world.untilState('over', 'Failed');
    await world.kubectl(['delete', 'job', '--all']);
    await suite.stopMillrace();
    await flushAll();
    await suite.startMillrace();
    await world.throughout(3_000, 'nothing is created', () => world.jobs().length === 0);
    expect(world.statesOf('over').at(-1)).toBe('Failed');
    expect(await world.namesEverCreated()).toEqual(['over-a', 'over-b']);
  });
});
