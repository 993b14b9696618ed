import { it } from 'vitest';
import { annotations } from '#shared/domain/labels.ts';
import { describeFlows } from '#test/support/flow-suite.ts';
import { has } from '#test/support/flow-world.ts';
import { batchJob, openDuring, suspendPolicy } from '#test/support/suspension/suspend-manifests.ts';

const hour = 3_600_000;
const spot = { key: 'spot', operator: 'Exists', effect: 'NoSchedule' };
const placement = { tolerations: [spot] };

describeFlows('the placement of a suspend policy', (suite) => {
  it.concurrent(
    'is given to a Job with its resumption, and taken back when it is held again',
    async ({ expect }) => {
      const world = await suite.world('placement');
      const openFrom = (ms: number) => ({ schedule: openDuring([ms, ms + 2 * hour]) });
      const [open, closed] = [openFrom(Date.now() - hour), openFrom(Date.now() + hour)];
      await world.apply(
        suspendPolicy('nights', { ...closed, onResume: { placement }, adopt: 'Both' }),
        batchJob('etl', { job: { suspend: true } }),
      );
      await world.patch('SuspendPolicy', 'nights', { spec: open });
      const pod = await world.untilRunning('etl');
      expect(pod.spec['tolerations']).toContainEqual(spot);
      expect(world.job('etl')?.metadata.annotations).toHaveProperty([annotations.placed]);
      await world.patch('SuspendPolicy', 'nights', { spec: closed });
      await world.untilJob('etl', 'is held again', (job) => has(job, 'Suspended'));
      const back = await world.untilJob(
        'etl',
        'is as it was',
        ({ metadata }) => metadata.annotations?.[annotations.placed] === undefined,
      );
      expect(back.spec.template.spec['tolerations'] ?? []).toEqual([]);
    },
  );

  it.concurrent(
    'is left out where the API server takes none, which is reported once (scenario 69)',
    async ({ expect }) => {
      const world = await suite.world('refused');
      await world.apply(
        suspendPolicy('wrong', {
          schedule: openDuring([Date.now() - hour, Date.now() + hour]),
          onResume: { placement: { tolerations: [{ key: 'x', operator: 'Sometimes' }] } },
          adopt: 'Suspended',
        }),
        batchJob('etl', { job: { suspend: true } }),
      );
      const pod = await world.untilRunning('etl');
      expect(pod.spec['tolerations'] ?? []).not.toContainEqual(
        expect.objectContaining({ key: 'x' }),
      );
      const reports = (await world.events()).filter(({ reason }) => reason === 'PlacementRefused');
      expect(reports).toHaveLength(1);
    },
  );
});
