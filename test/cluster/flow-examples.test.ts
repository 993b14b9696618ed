import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scaledExample } from '#test/demo/scaled-example.ts';
import { describeFlows } from '#test/support/flow-suite.ts';
import { fiveJobs, step, untilEnded } from '#test/support/flow-world.ts';

const examples = join(import.meta.dirname, '../../deploy/examples');
/** Rule 22, milliseconds. */
const maxAdvanceMs = 20_000;

describeFlows('the examples of the original', (suite) => {
  it.concurrent(
    'starts a step when all its dependencies completed, before a sweep (scenario 1, rules 11 and 22)',
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
      const running = step('job3', { after: ['job1', 'job2'], runFor: untilEnded });
      await world.apply(fiveJobs('jobflow-example', [running]));
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
});
