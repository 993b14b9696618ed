import { it } from 'vitest';
import { describeFlows } from '#test/support/flow-suite.ts';
import { batchJob, openDuring, suspendPolicy } from '#test/support/suspension/suspend-manifests.ts';

const hour = 3_600_000;
const total = 2_000;
/** Written in one decision. */
const together = 128;
const label = 'batch/priority';

describeFlows('a window that closes over two thousand Jobs', (suite) => {
  it('suspends all of them, the lowest priority first (scenario 70)', async ({ expect }) => {
    const world = await suite.world('many');
    const jobs = Array.from({ length: total }, (_, index) =>
      batchJob(`job-${String(index).padStart(4, '0')}`, {
        labels: { [label]: String(index % 10) },
        job: { parallelism: 0 },
      }),
    );
    for (let from = 0; from < total; from += 50) await world.apply(...jobs.slice(from, from + 50));
    await world.until('all are there', () => world.jobs().length === total);
    const now = Date.now();
    await world.apply(
      suspendPolicy('nights', {
        kinds: ['Job'],
        schedule: openDuring([now - hour, now + 5_000]),
        order: { priorityFrom: `label:${label}` },
      }),
    );
    const isHeld = () => world.jobs().every(({ spec }) => spec.suspend === true);
    await world.until('all are suspended', isHeld);
    const took = Date.now() - (now + 5_000);
    const asked = await world.requests({ user: 'suspend-schedule' });
    console.log(`${total} Jobs suspended ${took} ms after the closing, ${asked.length} requests`);
    const suspended = world.jobSightings().filter(({ object }) => object.spec.suspend === true);
    const order = [
      ...new Map(suspended.map(({ object }) => [object.metadata.name, object])).values(),
    ];
    const priorities = order.map(({ metadata }) => Number(metadata.labels?.[label]));
    // Those of one decision are written side by side, and a slow answer does not hold up the others.
    const misplaced = priorities.filter((priority, at) =>
      priorities.slice(at + together).some((later) => later < priority),
    );
    expect(misplaced).toEqual([]);
  });
});
