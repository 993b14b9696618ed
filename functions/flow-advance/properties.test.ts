import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wholeListSteps, withAllRecords } from '#shared/api/step-records.ts';
import { annotations } from '#shared/domain/labels.ts';
import { flowName } from './testing/builders.ts';
import { settle } from './testing/job-controller.ts';
import { ModelCluster } from './testing/model-cluster.ts';
import { quiesce } from './testing/passes.ts';
import { asFlow, expectedStates, randomFlow, type RandomFlow } from './testing/random-flows.ts';
import { history, live, liveToTheEnd } from './testing/schedule.ts';

const runs = { numRuns: 300 };
const disorder = ['pass', 'pass', 'pass', 'crash', 'start', 'finish', 'finish', 'tick'] as const;

function states(cluster: ModelCluster): Readonly<Record<string, string>> {
  const { metadata, spec, status = {} } = cluster.flow!;
  const entries = withAllRecords(metadata, spec.flows, status).jobStatusList ?? [];
  return Object.fromEntries(entries.map(({ name, state }) => [name, state]));
}

function sorted<Value>(record: Readonly<Record<string, Value>>): [string, Value][] {
  return Object.entries(record).sort();
}

/** I1 and I3, read from the log of creations rather than from the end state. */
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

async function expectAtRest(cluster: ModelCluster): Promise<void> {
  const { writes } = cluster;
  await quiesce(cluster);
  expect(cluster.writes, 'writes of a system at rest').toBe(writes);
}

describe('on random graphs, whatever is lost, repeated, late or interrupted', () => {
  it('ends as the graph says, with one create per step and attempt, dependencies first', async () => {
    const flows = randomFlow({ policies: ['ContinueIndependent'], withTtl: false });
    const kinds = [...disorder, 'look', 'stalePass', 'settle'] as const;
    await fc.assert(
      fc.asyncProperty(flows, history(kinds), async (random, happened) => {
        const cluster = new ModelCluster(asFlow(random));
        await live(cluster, random, happened);
        await liveToTheEnd(cluster, random);
        expect(sorted(states(cluster))).toEqual(sorted(expectedStates(random)));
        const hasFailed = Object.values(states(cluster)).includes('Failed');
        expect(cluster.flow?.status?.state).toBe(hasFailed ? 'Failed' : 'Succeed');
        expectRightCreations(cluster, random);
        await expectAtRest(cluster);
      }),
      runs,
    );
  });

  it('ends so too where the status lists only steps that have something to say', async () => {
    const flows = randomFlow({
      policies: ['ContinueIndependent'],
      withTtl: false,
      fillers: wholeListSteps,
    });
    await fc.assert(
      fc.asyncProperty(flows, history([...disorder, 'settle']), async (random, happened) => {
        const cluster = new ModelCluster(asFlow(random));
        await live(cluster, random, happened);
        await liveToTheEnd(cluster, random);
        expect(sorted(states(cluster))).toEqual(sorted(expectedStates(random)));
        expect(cluster.flow?.status?.jobStatusList?.length).toBeLessThan(random.order.length);
        expectRightCreations(cluster, random);
        await expectAtRest(cluster);
      }),
      { numRuns: 20 },
    );
  });

  it('runs nothing again whose Job its TTL has removed', async () => {
    const flows = randomFlow({ policies: ['ContinueIndependent'] });
    await fc.assert(
      fc.asyncProperty(
        flows,
        history([...disorder, 'crash', 'settle', 'settle']),
        async (random, happened) => {
          const cluster = new ModelCluster(asFlow(random));
          await live(cluster, random, happened);
          await liveToTheEnd(cluster, random);
          settle(cluster);
          expect(sorted(states(cluster))).toEqual(sorted(expectedStates(random)));
          const names = cluster.creations.map(({ name }) => name);
          expect(new Set(names).size).toBe(names.length);
          const withTtl = new Set(
            random.steps.filter(({ hasTtl }) => hasTtl).map(({ name }) => name),
          );
          const left = cluster.jobNames.filter((name) =>
            [...withTtl].some((step) => jobsOf(step).test(name)),
          );
          expect(left, 'finished children whose TTL was never given').toEqual([]);
        },
      ),
      runs,
    );
  });

  it('always ends, under every failure policy, with Jobs deleted and flows suspended in between', async () => {
    const kinds = [...disorder, 'vanish', 'suspend', 'settle'] as const;
    await fc.assert(
      fc.asyncProperty(randomFlow(), history(kinds), async (random, happened) => {
        const cluster = new ModelCluster(asFlow(random));
        await live(cluster, random, happened);
        await liveToTheEnd(cluster, random);
        const ends = Object.values(states(cluster));
        const expected = ends.every((state) => state === 'Succeed') ? 'Succeed' : 'Failed';
        expect(cluster.flow?.status?.state).toBe(expected);
        const names = cluster.creations.map(({ name }) => name);
        expect(new Set(names).size, `created twice: ${names.join(', ')}`).toBe(names.length);
        for (const { isSuspended, flowState } of cluster.creations) {
          expect(isSuspended, 'created while suspended (I4)').toBe(false);
          expect(['Succeed', 'Failed', 'Terminating']).not.toContain(flowState);
        }
        await expectAtRest(cluster);
      }),
      runs,
    );
  });

  it('leaves no Job running or suspended by us behind a finished flow', async () => {
    const kinds = [...disorder, 'suspend', 'settle'] as const;
    await fc.assert(
      fc.asyncProperty(randomFlow(), history(kinds), async (random, happened) => {
        const cluster = new ModelCluster(asFlow(random));
        await live(cluster, random, happened);
        await liveToTheEnd(cluster, random);
        const unfinished = cluster
          .jobs()
          .filter(({ status }) => !/Complete|Failed/.exec(JSON.stringify(status ?? {})));
        expect(unfinished.map(({ metadata }) => metadata.name)).toEqual([]);
      }),
      runs,
    );
  });
});

describe('retry by hand (argo-workflows#16450)', () => {
  it('of any failed subset ends, starts only what was failed or skipped, and can succeed', async () => {
    await fc.assert(
      fc.asyncProperty(randomFlow(), fc.func(fc.constantFrom(0, 0, 99)), async (random, again) => {
        const cluster = new ModelCluster(asFlow(random));
        await liveToTheEnd(cluster, random);
        const before = states(cluster);
        const created = cluster.creations.length;
        const steps = random.steps.map((step) => ({ ...step, failures: again(step.name) }));
        const second = { ...random, steps };
        cluster.annotateFlow({ [annotations.retry]: 'once' });
        await liveToTheEnd(cluster, second);
        const restarted = cluster.creations.slice(created).map(({ name }) => name);
        for (const [step, state] of Object.entries(before)) {
          const isRestarted = restarted.some((name) => jobsOf(step).test(name));
          if (state === 'Succeed') expect(isRestarted, `${step} had succeeded`).toBe(false);
        }
        const names = cluster.creations.map(({ name }) => name);
        expect(new Set(names).size).toBe(names.length);
        const allGood = steps.every(
          ({ name, failures }) => before[name] === 'Succeed' || failures === 0,
        );
        if (allGood) expect(cluster.flow?.status?.state).toBe('Succeed');
        await expectAtRest(cluster);
      }),
      runs,
    );
  });

  it('replays to the same end', async () => {
    await fc.assert(
      fc.asyncProperty(randomFlow(), history(disorder), async (random, happened) => {
        const ends = [];
        for (let replay = 0; replay < 2; replay += 1) {
          const cluster = new ModelCluster(asFlow(random));
          await live(cluster, random, happened);
          cluster.annotateFlow({ [annotations.retry]: 'once' });
          await liveToTheEnd(cluster, random);
          ends.push(
            JSON.stringify([cluster.flow?.status, cluster.creations.map(({ name }) => name)]),
          );
        }
        expect(ends[0]).toBe(ends[1]);
      }),
      { numRuns: 100 },
    );
  });
});
