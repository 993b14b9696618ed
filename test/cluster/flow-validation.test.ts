import { expect, it } from 'vitest';
import { describeFlows } from '#test/support/flow-suite.ts';
import { flow, has, malformedFlow, step, untilEnded, work } from '#test/support/flow-world.ts';

describeFlows('what is not accepted', (suite) => {
  it.concurrent(
    'refuses a step with both or neither of jobTemplate and jobTemplateRef (scenario 11, rule 1)',
    async () => {
      const world = await suite.world('both-or-neither');
      const both = { name: 'a', jobTemplate: work(), jobTemplateRef: 'some' };
      const neither = { name: 'a' };
      for (const entry of [both, neither]) {
        const refusal = await world.refusalOf(malformedFlow('refused', { flows: [entry] }));
        expect(refusal.code).toBe(422);
        expect(refusal.message).toContain('exactly one of jobTemplate and jobTemplateRef');
      }
    },
  );

  it.concurrent(
    'lets the API server itself refuse a repeated step name (scenario 12, rule 19)',
    async () => {
      const world = await suite.world('duplicate');
      const duplicate = malformedFlow('twice', {
        flows: [
          { name: 'same', jobTemplate: work() },
          { name: 'same', jobTemplate: work() },
        ],
      });
      await expect(suite.api().create(world.namespace, duplicate)).rejects.toMatchObject({
        code: 422,
        message: expect.stringMatching(/spec\.flows: "same" is there twice/) as string,
      });
    },
  );

  it.concurrent(
    'refuses a dependency that is unknown, and one on the step itself by name (scenario 13, volcano#4304)',
    async () => {
      const world = await suite.world('dependency');
      const unknown = await world.refusalOf(
        flow('unknown', [step('a'), step('b', { after: ['missing'] })]),
      );
      expect(unknown.code).toBe(422);
      expect(unknown.message).toContain('"b" depends on "missing"');
      const self = await world.refusalOf(flow('self', [step('loner', { after: ['loner'] })]));
      expect(self.code).toBe(422);
      expect(self.message).toContain('"loner" depends on itself');
    },
  );

  it.concurrent('refuses a flow without steps (scenario 13, rule 19)', async () => {
    const world = await suite.world('empty');
    const refusal = await world.refusalOf(flow('empty', []));
    expect(refusal.code).toBe(422);
    expect(refusal.message).toContain('spec.flows');
  });

  const cycles = {
    'a two-step': {
      steps: [step('a', { after: ['b'] }), step('b', { after: ['a'] })],
      path: 'a -> b -> a',
    },
    'a three-step': {
      steps: [
        step('a', { after: ['c'] }),
        step('b', { after: ['a'] }),
        step('c', { after: ['b'] }),
      ],
      path: 'a -> c -> b -> a',
    },
    'a healthy root beside a': {
      steps: [
        step('root'),
        step('a', { after: ['root', 'b'] }),
        step('b', { after: ['a'] }),
        step('free', { after: ['root'] }),
      ],
      path: 'a -> b -> a',
    },
  };

  it.concurrent.each(Object.entries(cycles))(
    'fails %s cycle with its path and creates no child (scenarios 13 and 14, volcano#4125)',
    async (about, { steps, path }) => {
      const world = await suite.world(`cycle-${about.replaceAll(/[^a-z]+/g, '-')}`);
      await world.apply(flow('cyclic', steps));
      const { status } = await world.untilState('cyclic', 'Failed');
      const accepted = status?.conditions?.find(({ type }) => type === 'Accepted');
      expect(accepted).toMatchObject({ status: 'False', reason: 'CycleDetected' });
      expect(accepted?.message).toContain(path);
      await world.throughout(2_000, 'no Job exists', () => world.jobs().length === 0);
      expect(await world.namesEverCreated()).toEqual([]);
    },
  );

  it.concurrent(
    'refuses names that leave no room for a retry, and says both lengths (scenario 16, rule 4)',
    async () => {
      const world = await suite.world('too-long');
      const refusal = await world.refusalOf(flow('f'.repeat(40), [step('s'.repeat(23))]));
      expect(refusal.code).toBe(422);
      expect(refusal.message).toMatch(/flow name has 40.* has 23/);
    },
  );

  it.concurrent(
    'runs and retries a step whose name is at the limit (scenario 16, rule 4)',
    async () => {
      const world = await suite.world('at-the-limit');
      const [flowName, stepName] = ['f'.repeat(36), 's'.repeat(22)];
      await world.apply(
        flow(flowName, [
          step(stepName, { runFor: untilEnded, retryPolicy: { limit: 1, backoffSeconds: 1 } }),
        ]),
      );
      const job = `${flowName}-${stepName}`;
      await world.endPod(job, 1);
      await world.endPod(`${job}-r1`, 0);
      await world.untilState(flowName, 'Succeed');
      expect(await world.namesEverCreated()).toEqual([job, `${job}-r1`]);
    },
  );

  it.concurrent(
    'refuses an Indexed step whose Pod host names would be too long (scenario 17, rule 4)',
    async () => {
      const world = await suite.world('indexed');
      const indexed = { completionMode: 'Indexed', completions: 1000, parallelism: 10 } as const;
      // 55 characters for flow and step: enough room for a plain Job, not for `-999`.
      const refusal = await world.refusalOf(
        flow('f'.repeat(33), [step('s'.repeat(22), { job: indexed })]),
      );
      expect(refusal.code).toBe(422);
      expect(refusal.message).toContain('too long for an Indexed Job');
    },
  );

  it.concurrent(
    'refuses names with a dot or with the suffix of a retry (rules 3 and 4)',
    async () => {
      const world = await suite.world('names');
      const refused = [
        flow('with.dot', [step('a')]),
        flow('fine', [step('step.one')]),
        flow('fine', [step('step-r2')]),
      ];
      for (const object of refused) expect((await world.refusalOf(object)).code).toBe(422);
    },
  );

  it.concurrent(
    'refuses a changed graph while it runs and takes suspend, TTL and failurePolicy (scenario 23, rule 16)',
    async () => {
      const world = await suite.world('edits');
      await world.apply(
        flow('edited', [step('a', { runFor: untilEnded }), step('b', { after: ['a'] })]),
      );
      await world.untilStep('edited', 'a', 'Running');

      const other = flow('edited', [
        step('a', { runFor: untilEnded }),
        step('c', { after: ['a'] }),
      ]);
      await expect(world.patchFlow('edited', { spec: other.spec })).rejects.toMatchObject({
        code: 422,
        message: expect.stringMatching(/flows/) as string,
      });
      await expect(
        world.patchFlow('edited', { spec: { globalParams: { env: [{ name: 'A', value: '1' }] } } }),
      ).rejects.toMatchObject({
        code: 422,
        message: expect.stringMatching(/globalParams/) as string,
      });

      await world.patchFlow('edited', { spec: { suspend: true } });
      await world.untilState('edited', 'Suspended');
      // A Pod that the Job controller is about to delete would not count, whatever its end.
      await world.untilJob('edited-a', 'is Suspended', (job) => has(job, 'Suspended'));
      await world.patchFlow('edited', {
        spec: { suspend: false, ttlSecondsAfterFinished: 3600, failurePolicy: 'FailFast' },
      });
      await world.endPod('edited-a');
      await world.untilState('edited', 'Succeed');
    },
  );
});
