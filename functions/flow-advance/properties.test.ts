import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wholeListSteps, withAllRecords } from '#shared/api/step-records.ts';
import { flowName } from './testing/builders.ts';
import { ModelCluster } from './testing/model-cluster.ts';
import { quiesce } from './testing/passes.ts';
import { asFlow, expectedStates, randomFlow, type RandomFlow } from './testing/random-flows.ts';
import { history, live, liveToTheEnd } from './testing/schedule.ts';

function states(cluster: ModelCluster): Readonly<Record<string, string>> {
  const { metadata, spec, status = {} } = cluster.flow!;
  const entries = withAllRecords(metadata, spec.flows, status).jobStatusList ?? [];
  return Object.fromEntries(entries.map(({ name, state }) => [name, state]));
}

/** I1 and I3, checked on the log of creations instead of the final state. */
function expectRightCreations(cluster: ModelCluster, { steps }: RandomFlow): void {
  const names = cluster.creations.map(({ name }) => name);
  expect(new Set(names).size, `created twice: ${names.join(', ')}`).toBe(names.length);
  for (const { name, complete } of cluster.creations) {
    const step = steps.find((candidate) => jobsOf(candidate.name).test(name));
    for (const dependency of step?.after ?? []) {
      const isComplete = [...complete].some((job) => jobsOf(dependency).test(job));
      expect(isComplete, `${name} was created before ${dependency} was complete`).toBe(true);
    }
  }
}

function jobsOf(step: string): RegExp {
  return new RegExp(`^${flowName}-${step}(-r[0-9]+)?$`);
}

// The simulation checks everything else, under more faults, with shorter flows.
it('a flow of so many steps that its status lists only some ends as the graph says, whatever is lost, repeated, late or interrupted', async () => {
  const flows = randomFlow({
    policies: ['ContinueIndependent'],
    withTtl: false,
    fillers: wholeListSteps,
  });
  const happenings = history(['pass', 'pass', 'crash', 'start', 'finish', 'tick', 'settle']);
  await fc.assert(
    fc.asyncProperty(flows, happenings, async (random, happened) => {
      const cluster = new ModelCluster(asFlow(random));
      await live(cluster, random, happened);
      await liveToTheEnd(cluster, random);
      expect(states(cluster)).toEqual(expectedStates(random));
      expect(cluster.flow?.status?.jobStatusList?.length).toBeLessThan(random.order.length);
      expectRightCreations(cluster, random);
      const { writes } = cluster;
      await quiesce(cluster);
      expect(cluster.writes, 'writes of a system at rest').toBe(writes);
    }),
    { numRuns: 20 },
  );
});
