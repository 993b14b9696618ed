import { expect, it } from 'vitest';
import { describeFlows } from '#test/support/flow-suite.ts';
import { has } from '#test/support/flow-world.ts';
import { batchJob, openDuring, suspendPolicy } from '#test/support/suspension/suspend-manifests.ts';

const hour = 3_600_000;

describeFlows('a suspend policy during an outage of Millrace', (suite) => {
  it('is followed as soon as Millrace is back, and nothing of what was missed is made up for (scenario 54)', async () => {
    const world = await suite.world('outage');
    const now = Date.now();
    await world.apply(
      suspendPolicy('often', { schedule: openDuring([now - hour, now + hour]) }),
      batchJob('etl'),
      batchJob('held', { job: { suspend: true } }),
    );
    await world.untilRunning('etl');
    await suite.stopMillrace();
    const stopped = Date.now();
    const spans = [
      [stopped - hour, stopped + 1_000],
      [stopped + 2_000, stopped + 3_000],
      [stopped + 4_000, stopped + 5_000],
    ] as const;
    const schedule = openDuring(...spans);
    await world.patch('SuspendPolicy', 'often', { spec: { schedule } });
    const isOn = () => world.job('etl')?.spec.suspend === false;
    await world.throughout(stopped + 5_500 - Date.now(), 'it is not suspended', isOn);
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

  it('is followed on coming back, when everything was restarted and forgotten in a night', async () => {
    const world = await suite.world('restart');
    await world.apply(suspendPolicy('nights', { schedule: openDuring() }), batchJob('held'));
    await world.untilJob('held', 'is Suspended', (job) => has(job, 'Suspended'));
    await suite.stopMillrace();
    await suite.redis().restart();
    const names = ['late', 'later', 'latest'];
    await world.apply(...names.map((name) => batchJob(name)));
    for (const name of names) await world.untilRunning(name);
    const backAtMs = Date.now();
    await suite.startMillrace();
    for (const name of names) {
      await world.untilJob(name, 'is Suspended', (job) => has(job, 'Suspended'));
    }
    const suspended = world.jobSightings().filter(({ object }) => has(object, 'Suspended'));
    const late = suspended.filter(({ object }) => object.metadata.name !== 'held');
    const firstMs = names.map(
      (name) => late.find(({ object }) => object.metadata.name === name)?.atMs ?? Infinity,
    );
    console.log(`suspended ${Math.max(...firstMs) - backAtMs} ms after coming back`);
    expect(Math.min(...firstMs)).toBeGreaterThanOrEqual(backAtMs);
    expect(world.job('held')?.spec.suspend).toBe(true);
    const ofHeld = world.jobSightings().filter(({ object }) => object.metadata.name === 'held');
    const held = ofHeld.slice(ofHeld.findIndex(({ object }) => has(object, 'Suspended')));
    expect(held.every(({ object }) => object.spec.suspend === true)).toBe(true);
  });
});
