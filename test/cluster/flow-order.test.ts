import { expect, it } from 'vitest';
import { join } from 'node:path';
import { scaledExample } from '#test/demo/scaled-example.ts';
import { describeFlows } from '#test/support/flow-suite.ts';
import { admitOnePod, lingeringWork, releasePods } from '#test/support/flows/lingering-pods.ts';
import { flow, has, step, untilEnded } from '#test/support/flow-world.ts';

const examples = join(import.meta.dirname, '../../deploy/examples');
/** Facts: JobFlow rule 22. */
const maxAdvanceMs = 2_000;

/** The graph of the five-job example: 2 after 1, 3 after 1 and 2, 5 after 4 and 2. */
function fiveJobs(name: string, second = step('job2', { after: ['job1'] })) {
  return flow(name, [
    step('job1'),
    second,
    step('job3', { after: ['job1', 'job2'] }),
    step('job4'),
    step('job5', { after: ['job4', 'job2'] }),
  ]);
}

describeFlows('the order of steps', (suite) => {
  it.concurrent(
    'starts a step when all its dependencies completed, within 2 s (scenario 1, rules 11 and 22)',
    async () => {
      const world = await suite.world('five-jobs');
      const manifest = await scaledExample(join(examples, 'jobflow-example.yaml'), 100);
      await world.kubectl(['apply', '-f', '-'], manifest);
      await world.untilState('jobflow-example', 'Succeed');

      const job = (step: string) => `jobflow-example-${step}`;
      const created = await world.namesEverCreated();
      expect(created.toSorted()).toEqual(['job1', 'job2', 'job3', 'job4', 'job5'].map(job));
      expect(created.slice(0, 2).toSorted()).toEqual([job('job1'), job('job4')]);
      expect(world.advanceMs(job('job1'), job('job2'))).toBeLessThan(maxAdvanceMs);
      expect(world.advanceMs(job('job2'), job('job3'))).toBeLessThan(maxAdvanceMs);
      expect(world.advanceMs(job('job4'), job('job5'))).toBeGreaterThanOrEqual(0);
      expect(world.advanceMs(job('job2'), job('job5'))).toBeLessThan(maxAdvanceMs);
      expect(world.statesOf('jobflow-example').filter((state) => state !== 'Pending')).toEqual([
        'Running',
        'Succeed',
      ]);
    },
  );

  it.concurrent(
    'prints Running while job3 runs and job5 is done, as the original did (scenario 2)',
    async () => {
      const world = await suite.world('in-the-middle');
      const manifest = fiveJobs('jobflow-example');
      await world.apply({
        ...manifest,
        spec: {
          flows: manifest.spec.flows.map((entry) =>
            entry.name === 'job3'
              ? step('job3', { after: ['job1', 'job2'], runFor: untilEnded })
              : entry,
          ),
        },
      });
      await world.untilStep('jobflow-example', 'job5', 'Succeed');
      await world.untilStep('jobflow-example', 'job3', 'Running');

      const flows = await world.kubectl(['get', 'jobflows.api.practice.com']);
      expect(flows.split('\n')[0]?.split(/\s+/)).toEqual(['NAME', 'STATUS', 'AGE']);
      expect(flows).toMatch(/^jobflow-example\s+Running\s+\d+s$/m);
      const jobs = await world.kubectl(['get', 'jobs', '--no-headers']);
      for (const name of ['job1', 'job2', 'job4', 'job5']) {
        expect(jobs).toMatch(new RegExp(`^jobflow-example-${name} .* 1/1 `, 'm'));
      }
      expect(jobs).toMatch(/^jobflow-example-job3 .* 0\/1 /m);

      await world.endPod('jobflow-example-job3');
      await world.untilState('jobflow-example', 'Succeed');
    },
  );

  it.concurrent(
    'fails with the failed step, skips what depends on it, finishes the rest (scenario 3, rule 12)',
    async () => {
      const world = await suite.world('error-example');
      const manifest = await scaledExample(join(examples, 'jobflow-example-error.yaml'), 100);
      await world.kubectl(['apply', '-f', '-'], manifest);
      const { status } = await world.untilState('jobflow-example-error', 'Failed');

      const steps = Object.fromEntries(
        status?.jobStatusList?.map(({ name, state, reason }) => [name, [state, reason]]) ?? [],
      );
      expect(steps).toEqual({
        job1: ['Succeed', undefined],
        'job2-error-container': ['Failed', 'BackoffLimitExceeded'],
        job3: ['Skipped', 'UpstreamFailed'],
        job4: ['Succeed', undefined],
        job5: ['Skipped', 'UpstreamFailed'],
      });
      expect((await world.namesEverCreated()).toSorted()).toEqual([
        'jobflow-example-error-job1',
        'jobflow-example-error-job2-error-container',
        'jobflow-example-error-job4',
      ]);
      // One Error pod, as in the original's output: a step's own backoffLimit is 0 by default.
      expect(world.pods('jobflow-example-error-job2-error-container')).toHaveLength(1);
      const table = await world.kubectl(['get', 'jobflows.api.practice.com']);
      expect(table).toMatch(/^jobflow-example-error\s+Failed\s+\d+s$/m);
    },
  );

  it.concurrent(
    'runs the steps of a template flow in order (scenario 4, rules 1 and 17)',
    async () => {
      const world = await suite.world('template-example');
      for (const file of ['jobtemplates.yaml', 'jobflow-example-template.yaml']) {
        const manifest = await scaledExample(join(examples, file), 100);
        await world.kubectl(['apply', '-f', '-'], manifest);
      }
      await world.untilState('jobflow-example-template', 'Succeed');

      const [first, second] = [
        'jobflow-example-template-job1',
        'jobflow-example-template-job2',
      ] as const;
      expect(await world.namesEverCreated()).toEqual([first, second]);
      expect(world.advanceMs(first, second)).toBeLessThan(maxAdvanceMs);
    },
  );

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
    'accepts sixty steps that each depend on all before, and decides in 50 ms (scenario 15)',
    async () => {
      const world = await suite.world('dense');
      const names = Array.from({ length: 60 }, (_, index) => `step-${index}`);
      const startedAt = performance.now();
      await world.apply(
        flow(
          'dense',
          names.map((name, index) =>
            step(name, { after: names.slice(0, index), runFor: untilEnded }),
          ),
        ),
      );
      // What the API server needs, CEL included; the reducer's own time is in its record.
      expect(performance.now() - startedAt).toBeLessThan(2_000);
      await world.untilStep('dense', 'step-0', 'Running');
      const decisions = await suite.decisions(world.uidOf('dense'));
      expect(decisions.length).toBeGreaterThan(0);
      // The first one of a process runs code that is not compiled yet.
      expect(Math.min(...decisions.map(({ durationMs }) => durationMs.decide))).toBeLessThan(50);
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
      // startOn: SuccessCriteriaMet opts into starting beside Pods that still terminate (rule 11).
      await world.untilStep('held', 'eager', 'Succeed');
      expect(has(world.job('held-first'), 'Complete')).toBe(false);
      expect(await world.namesEverCreated()).not.toContain('held-second');

      await releasePods(world, 'held-first');
      await world.untilState('held', 'Succeed');
      expect(world.advanceMs('held-first', 'held-second')).toBeLessThan(maxAdvanceMs);
    },
  );

  it.concurrent(
    'writes nothing once a flow has ended, and at most four times per step before (I9)',
    async () => {
      const world = await suite.world('quiet');
      await world.apply(fiveJobs('quiet'));
      await world.untilState('quiet', 'Succeed');
      const writes = () =>
        world.requests({ user: 'flow-advance', verb: /^(create|update|patch|delete)$/ });
      // The last write may still be on its way into the log.
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
    await world.apply(fiveJobs('told', step('job2', { after: ['job1'], exitCode: 3 })));
    await world.untilState('told', 'Failed');
    await world.throughout(
      1_000,
      'the flow has failed',
      () => world.flow('told')?.status?.state === 'Failed',
    );
    const events = (await world.events()).filter(({ regarding }) => regarding?.kind === 'JobFlow');
    const told = events.map(({ reason, note }) => `${reason}: ${note}`);
    expect(told.length).toBeGreaterThan(0);
    expect(new Set(told).size).toBe(told.length);
    expect(events.map(({ series }) => series?.count ?? 1)).toEqual(events.map(() => 1));
  });
});
