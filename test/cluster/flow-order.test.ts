import { expect, it } from 'vitest';
import { describeFlows } from '#test/support/flow-suite.ts';
import { admitOnePod, lingeringWork, releasePods } from '#test/support/flows/lingering-pods.ts';
import { fiveJobs, flow, has, step, untilEnded } from '#test/support/flow-world.ts';

/** Shorter than the sweep's 30 s, so it was not the sweep that found the change (rule 22). */
const maxAdvanceMs = 20_000;

describeFlows('the order of steps', (suite) => {
  it.concurrent('lists steps in spec order, whatever ends first (volcano#2851)', async () => {
    const world = await suite.world('status-order');
    const names = ['zeta', 'alpha', 'mike', 'bravo', 'yankee'] as const;
    const [last, ...rest] = names;
    await world.apply(
      flow('ordered', [
        step(last, { runFor: untilEnded }),
        ...rest.map((name, index) => step(name, { runFor: `${(rest.length - index) * 300}ms` })),
      ]),
    );
    for (const name of rest) await world.untilStep('ordered', name, 'Succeed');
    await world.endPod(`ordered-${last}`);
    await world.untilState('ordered', 'Succeed');

    const orders = world
      .flowSightings('ordered')
      .map(({ status }) => status?.jobStatusList?.map(({ name }) => name) ?? names);
    expect(new Set(orders.map((order) => order.join(' ')))).toEqual(new Set([names.join(' ')]));
  });

  it.concurrent(
    'accepts sixty steps that each depend on all before, and starts the first (scenario 15)',
    async () => {
      const world = await suite.world('dense');
      const names = Array.from({ length: 60 }, (_, index) => `step-${index}`);
      await world.apply(
        flow(
          'dense',
          names.map((name, index) =>
            step(name, { after: names.slice(0, index), runFor: untilEnded }),
          ),
        ),
      );
      await world.untilStep('dense', 'step-0', 'Running');
      expect(await world.namesEverCreated()).toEqual(['dense-step-0']);
      await world.delete('JobFlow', 'dense');
    },
  );

  it.concurrent(
    'waits for Complete while the Pods of a successful Job still terminate (scenario 33, kubernetes#123775)',
    async () => {
      const world = await suite.world('terminating-pods');
      await world.apply(
        flow('held', [
          step('first', lingeringWork),
          step('second', { after: ['first'] }),
          step('eager', { after: ['first'], startOn: 'SuccessCriteriaMet' }),
        ]),
      );
      await admitOnePod(world, 'held-first');
      await world.untilJob('held-first', 'has met its success criteria', (job) =>
        has(job, 'SuccessCriteriaMet'),
      );
      await world.untilStep('held', 'eager', 'Succeed');
      await releasePods(world, 'held-first');
      await world.untilState('held', 'Succeed');
      // Judged by the order of events, because PodGC also ends a Pod that stays without a node.
      // With startOn: SuccessCriteriaMet a step may start while Pods still terminate (rule 11).
      expect(() => world.advanceMs('held-first', 'held-eager')).toThrow('created before');
      expect(world.advanceMs('held-first', 'held-second')).toBeLessThan(maxAdvanceMs);
    },
  );

  it.concurrent(
    'writes nothing once a flow has ended, and at most four times per step before (I9, I10)',
    async () => {
      const world = await suite.world('quiet');
      await world.apply(fiveJobs('quiet'));
      await world.untilState('quiet', 'Succeed');
      const writes = () =>
        world.requests({ user: 'flow-advance', verb: /^(create|update|patch|delete)$/ });
      // The last write may not be in the log yet.
      await world.throughout(
        1_000,
        'the flow has succeeded',
        () => world.flow('quiet')?.status?.state === 'Succeed',
      );
      const before = await writes();
      const toFlowAndJobs = before.filter(({ resource }) => resource !== 'events');
      expect(toFlowAndJobs.length).toBeLessThanOrEqual(4 * 5);
      await world.throughout(
        4_000,
        'the flow has succeeded',
        () => world.flow('quiet')?.status?.state === 'Succeed',
      );
      expect(await writes()).toHaveLength(before.length);
    },
  );

  it.concurrent('emits each Event of a flow once (argo#16575)', async () => {
    const world = await suite.world('events');
    await world.apply(fiveJobs('noisy', [step('job2', { after: ['job1'], exitCode: 3 })]));
    await world.untilState('noisy', 'Failed');
    await world.throughout(
      1_000,
      'the flow has failed',
      () => world.flow('noisy')?.status?.state === 'Failed',
    );
    const events = (await world.events()).filter(
      ({ involvedObject }) => involvedObject?.kind === 'JobFlow',
    );
    const texts = events.map(({ reason, message }) => `${reason}: ${message}`);
    expect(texts.length).toBeGreaterThan(0);
    expect(new Set(texts).size).toBe(texts.length);
    expect(events.map(({ series }) => series?.count ?? 1)).toEqual(events.map(() => 1));
  });
});
