import { expect, it } from 'vitest';
import { describeFlows } from '#test/support/flow-suite.ts';
import type { JobObject } from '#test/support/flows/batch-objects.ts';
import { testExtent } from '#test/support/test-extent.ts';
import { flow, jobTemplate, step, untilEnded } from '#test/support/flow-world.ts';

const crowd = testExtent() === 'full' ? 100 : 30;
const containers = (image: string) => [{ name: 'main', image }];
const edition = (number: number) => ({
  pod: { containers: containers(`busybox:edition-${number}`) },
});

describeFlows('steps that refer to a JobTemplate', (suite) => {
  it.concurrent(
    'says which template is missing and starts when it appears, without other events (scenario 21, rule 18, volcano#2987)',
    async () => {
      const world = await suite.world('missing');
      await world.apply(
        flow('waiting', [
          step('independent'),
          step('a', { ref: 'later-a' }),
          step('b', { ref: 'later-b' }),
        ]),
      );
      const condition = await world.untilCondition(
        'waiting',
        'TemplatesResolved',
        'JobTemplateNotFound',
      );
      expect(condition.status).toBe('False');
      expect(condition.message).toContain('later-a');
      expect(condition.message).toContain('later-b');
      expect(world.flow('waiting')?.status?.state).toBe('Pending');
      await world.throughout(2_000, 'nothing was started', () => world.jobs().length === 0);

      await world.apply(jobTemplate('later-a'));
      await world.until(
        'only later-b is missing',
        () =>
          world.condition('waiting', 'TemplatesResolved')?.message.includes('later-a') === false,
      );
      expect(world.jobs()).toHaveLength(0);
      await world.apply(jobTemplate('later-b'));
      // Shorter than the sweep's 30 s, so it was not the sweep that started it.
      await world.until('the flow has started', () => world.jobs().length === 3, 20_000);
      await world.untilState('waiting', 'Succeed');
      expect(world.condition('waiting', 'TemplatesResolved')?.status).toBe('True');
    },
  );

  it.concurrent(
    'runs later steps from the template as it was at the start (scenario 22, rule 17)',
    async () => {
      const world = await suite.world('pinned');
      await world.apply(jobTemplate('shared', edition(1)));
      await world.apply(
        flow('pinned', [
          step('first', { runFor: untilEnded }),
          step('second', { ref: 'shared', after: ['first'] }),
        ]),
      );
      await world.untilStep('pinned', 'first', 'Running');
      await world.apply(jobTemplate('shared', edition(2)));
      await world.endPod('pinned-first');
      await world.untilState('pinned', 'Succeed');
      expect(imageOf(world.job('pinned-second'))).toBe('busybox:edition-1');
      const pins = world.flow('pinned')?.status?.pinnedTemplates;
      expect(world.step('pinned', 'second')?.templateHash).toBe(pins?.[0]?.hash);
    },
  );

  it.concurrent(
    'runs later steps from the edited template with ResolveAtStep (scenario 22, rule 17)',
    async () => {
      const world = await suite.world('resolve-at-step');
      await world.apply(jobTemplate('shared', edition(1)));
      await world.apply(
        flow(
          'fresh',
          [
            step('zero', { ref: 'shared' }),
            step('first', { runFor: untilEnded, after: ['zero'] }),
            step('second', { ref: 'shared', after: ['first'] }),
          ],
          { templatePolicy: 'ResolveAtStep' },
        ),
      );
      await world.untilStep('fresh', 'first', 'Running');
      await world.apply(jobTemplate('shared', edition(2)));
      await world.endPod('fresh-first');
      await world.untilState('fresh', 'Succeed');
      expect(imageOf(world.job('fresh-zero'))).toBe('busybox:edition-1');
      expect(imageOf(world.job('fresh-second'))).toBe('busybox:edition-2');
      expect(world.step('fresh', 'second')?.templateHash).not.toBe(
        world.step('fresh', 'zero')?.templateHash,
      );
    },
  );

  it.concurrent(
    'completes although a template it uses was deleted (scenario 22, rule 17)',
    async () => {
      const world = await suite.world('template-deleted');
      await world.apply(jobTemplate('shared', edition(1)));
      await world.apply(
        flow('orphaned', [
          step('first', { runFor: untilEnded }),
          step('second', { ref: 'shared', after: ['first'] }),
        ]),
      );
      await world.untilStep('orphaned', 'first', 'Running');
      await world.delete('JobTemplate', 'shared');
      await world.endPod('orphaned-first');
      await world.untilState('orphaned', 'Succeed');
      expect(imageOf(world.job('orphaned-second'))).toBe('busybox:edition-1');
    },
  );

  it.concurrent(
    'retries with the new template, and only the new attempt counts (argo#15802)',
    async () => {
      const world = await suite.world('retry-new-template');
      await world.apply(jobTemplate('fixed-later', { ...edition(1), exitCode: 1 }));
      await world.apply(
        flow('again', [step('a', { ref: 'fixed-later' }), step('b', { after: ['a'] })], {
          templatePolicy: 'ResolveAtStep',
        }),
      );
      await world.untilState('again', 'Failed');
      await world.apply(jobTemplate('fixed-later', { ...edition(2), exitCode: 0 }));
      await world.patchFlow('again', {
        metadata: { annotations: { 'millrace.dev/retry': 'once' } },
      });
      await world.untilState('again', 'Succeed');
      expect(world.step('again', 'a')).toMatchObject({ attempt: 1, jobName: 'again-a-r1' });
      expect(imageOf(world.job('again-a-r1'))).toBe('busybox:edition-2');
      expect(await world.namesEverCreated()).toEqual(['again-a', 'again-a-r1', 'again-b']);
    },
  );

  // By itself, because a crowd of flows would distort the measurements of others.
  it(`lists only its own steps when ${crowd} flows share a template (scenario 40, volcano#4089)`, async () => {
    const world = await suite.world('hundred');
    const numbers = Array.from({ length: crowd }, (_, index) => index);
    await world.apply(jobTemplate('shared'));
    await world.apply(
      ...numbers.map((n) => flow(`flow-${n}`, [step(`only-${n}`, { ref: 'shared' })])),
    );
    for (const n of numbers) {
      const { status } = await world.untilState(`flow-${n}`, 'Succeed', 90_000);
      const job = world.job(`flow-${n}-only-${n}`);
      expect(status?.jobStatusList).toMatchObject([
        { name: `only-${n}`, jobName: `flow-${n}-only-${n}`, jobUID: job?.metadata.uid },
      ]);
    }
    expect(await world.namesEverCreated()).toHaveLength(crowd);
  });
});

function imageOf(job: JobObject | undefined): unknown {
  return job?.spec.template.spec.containers[0]?.['image'];
}

describeFlows('a JobTemplate that misspells fields, where no webhook refuses it', (suite) => {
  it.concurrent(
    'is named by a condition of the flow that uses it and by an Event, also after the flow succeeded',
    async () => {
      const world = await suite.world('misspelt-template');
      const job = { backofLimit: 3 };
      const misspelt = { name: 'main', image: 'busybox:1.28', comand: ['true'] };
      const pod = { containers: [misspelt] };
      await world.apply(jobTemplate('typos', { job, pod }));
      await world.apply(
        flow('typos', [step('a', { ref: 'typos' }), step('b', { ref: 'typos', after: ['a'] })]),
      );
      await world.untilState('typos', 'Succeed');
      const condition = world.condition('typos', 'Accepted');
      expect(condition).toMatchObject({ status: 'True', reason: 'UnknownField' });
      expect(condition?.message).toContain('step a: unknown field "spec.backofLimit"');
      expect(condition?.message).toContain('"spec.template.spec.containers[0].comand"');
      const about = (await world.events()).filter(({ reason }) => reason === 'UnknownField');
      expect(about.map(({ message = '' }) => message.slice(0, 22)).toSorted()).toEqual([
        'step a: unknown field ',
        'step b: unknown field ',
      ]);
    },
  );

  it.concurrent(
    'stays in the condition while the flow is suspended and resumed, and leaves it when a retry runs a corrected template',
    async () => {
      const world = await suite.world('corrected-template');
      const misspelt = { job: { paralelism: 2 }, exitCode: 1 };
      await world.apply(jobTemplate('typo', misspelt));
      await world.apply(flow('typo', [step('a', { ref: 'typo' })]));
      await world.untilState('typo', 'Failed');
      expect(world.condition('typo', 'Accepted')?.reason).toBe('UnknownField');
      await world.patch('JobFlow', 'typo', { spec: { suspend: true } });
      await world.until('the change was seen', () => {
        const { metadata, status } = world.flow('typo') ?? {};
        return status?.observedGeneration === metadata?.generation && metadata?.generation === 2;
      });
      expect(world.condition('typo', 'Accepted')?.reason).toBe('UnknownField');
      await world.patch('JobFlow', 'typo', { spec: { suspend: null } });
      await world.apply(jobTemplate('typo'));
      await world.patch('JobFlow', 'typo', {
        metadata: { annotations: { 'millrace.dev/retry': '1' } },
      });
      await world.untilState('typo', 'Succeed');
      expect(world.condition('typo', 'Accepted')?.reason).toBe('Valid');
    },
  );
});
