import { expect, it } from 'vitest';
import { describeFlows } from '#test/support/flow-suite.ts';
import { flow, jobTemplate, step } from '#test/support/flow-world.ts';

const retry = (name: string, value = '1') => [
  'annotate',
  'mjf',
  name,
  `millrace.dev/retry=${value}`,
  '--overwrite',
];

describeFlows('a failed flow that is mended', (suite) => {
  it.concurrent(
    'runs from a corrected JobTemplate after two commands, and only what had not succeeded (rules 13 and 17)',
    async () => {
      const world = await suite.world('mended-template');
      await world.apply(jobTemplate('extract'), jobTemplate('load', { exitCode: 1 }));
      await world.apply(
        flow('etl', [
          step('extract', { ref: 'extract' }),
          step('load', { ref: 'load', after: ['extract'] }),
          step('report', { after: ['load'] }),
        ]),
      );
      await world.untilState('etl', 'Failed');
      // Server-side apply removes omitted fields, as `kubectl apply` does.
      await world.kubectl(['apply', '-f', '-'], JSON.stringify(jobTemplate('load')));
      await world.kubectl(retry('etl'));
      await world.untilState('etl', 'Succeed');
      expect(await world.namesEverCreated()).toEqual([
        'etl-extract',
        'etl-load',
        'etl-load-r1',
        'etl-report',
      ]);
      const pins = world
        .flow('etl')
        ?.status?.pinnedTemplates?.map(({ name, generation }) => [name, generation]);
      expect(pins).toEqual([
        ['extract', 1],
        ['load', 2],
      ]);
      const notes = (await world.events()).map(({ message }) => message);
      expect(notes).toContain(
        'failed and skipped steps are started again by hand (millrace.dev/retry=1; another retry needs another value); template load: generation 1 -> 2',
      );
    },
  );

  it.concurrent(
    'runs a corrected inline step after two commands, while what succeeded stays frozen (rules 13 and 16)',
    async () => {
      const world = await suite.world('mended-step');
      const steps = (exitCode: number, ofFirst = 0) => [
        step('extract', { exitCode: ofFirst }),
        step('load', { after: ['extract'], exitCode }),
        step('report', { after: ['load'] }),
      ];
      await world.kubectl(['apply', '-f', '-'], JSON.stringify(flow('etl', steps(1))));
      await world.untilState('etl', 'Failed');
      await expect(
        world.kubectl(['apply', '-f', '-'], JSON.stringify(flow('etl', steps(0, 3)))),
      ).rejects.toThrow(/frozen once the flow has started: \["flows"\].* may be corrected/s);
      await world.kubectl(['apply', '-f', '-'], JSON.stringify(flow('etl', steps(0))));
      await world.kubectl(retry('etl'));
      await world.untilState('etl', 'Succeed');
      expect(await world.namesEverCreated()).toEqual([
        'etl-extract',
        'etl-load',
        'etl-load-r1',
        'etl-report',
      ]);
      await expect(
        world.kubectl(['apply', '-f', '-'], JSON.stringify(flow('etl', steps(4)))),
      ).rejects.toThrow(/frozen once the flow has started/);
    },
  );

  it.concurrent(
    'retries the steps that the annotation names, and says why it does not (rule 13)',
    async () => {
      const world = await suite.world('chosen-steps');
      await world.apply(
        flow('etl', [
          step('load', { exitCode: 1 }),
          step('index', { exitCode: 1 }),
          step('report', { after: ['load'] }),
        ]),
      );
      await world.untilState('etl', 'Failed');
      await world.kubectl(retry('etl', 'lod@1'));
      const refused = await world.untilCondition('etl', 'RetryRefused', 'UnknownStep');
      expect(refused.message).toBe('nothing is retried: the flow has no step lod');
      const event = (await world.events()).find(({ reason }) => reason === 'RetryRefused');
      expect(event).toMatchObject({
        type: 'Warning',
        message: 'lod@1: nothing is retried: the flow has no step lod',
      });

      const mended = [
        step('load'),
        step('index', { exitCode: 1 }),
        step('report', { after: ['load'] }),
      ];
      await world.kubectl(['apply', '-f', '-'], JSON.stringify(flow('etl', mended)));
      await world.kubectl(retry('etl', 'load@2'));
      await world.untilStep('etl', 'report', 'Succeed');
      await world.untilState('etl', 'Failed');
      expect((await world.namesEverCreated()).toSorted()).toEqual([
        'etl-index',
        'etl-load',
        'etl-load-r1',
        'etl-report',
      ]);
      expect(world.condition('etl', 'RetryRefused')?.status).toBe('False');
    },
  );
});
