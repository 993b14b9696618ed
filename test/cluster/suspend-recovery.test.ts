import { expect, it } from 'vitest';
import { describeFlows } from '#test/support/flow-suite.ts';
import { has } from '#test/support/flow-world.ts';
import { batchJob, openDuring, suspendPolicy } from '#test/support/suspension/suspend-manifests.ts';

const hour = 3_600_000;

describeFlows('a suspend policy while nobody looks', (suite) => {
  it('is followed as soon as somebody looks again, and nothing of what was missed is made up for (scenario 54)', async () => {
    const world = await suite.world('outage');
    const now = Date.now();
    const spans = [
      [now - hour, now + 6_000],
      [now + 7_000, now + 8_000],
      [now + 9_000, now + 10_000],
    ] as const;
    await world.apply(
      suspendPolicy('often', { schedule: openDuring(...spans) }),
      batchJob('etl'),
      batchJob('held', { job: { suspend: true } }),
    );
    await world.untilRunning('etl');
    await suite.stopMillrace();
    const isOn = () => world.job('etl')?.spec.suspend === false;
    await world.throughout(now + 10_500 - Date.now(), 'nobody suspends it', isOn);
    await suite.startMillrace();
    await world.untilJob('etl', 'is Suspended', (job) => has(job, 'Suspended'));
    const changes = world
      .jobSightings()
      .filter(({ object }) => object.metadata.name === 'etl')
      .map(({ object }) => object.spec.suspend === true)
      .filter((is, at, all) => is !== all[at - 1]);
    expect(changes).toEqual([false, true]);
    expect(world.job('held')?.spec.suspend).toBe(true);
  });
});
