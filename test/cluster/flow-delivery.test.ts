import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { asEventId } from '#shared/domain/objects.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import { describeFlows, type FlowSuite } from '#test/support/flow-suite.ts';
import { flow, type FlowWorld, has, step, untilEnded } from '#test/support/flow-world.ts';
import { seededRandom, shuffled } from '#test/support/flows/random-source.ts';

const seed = 20_261_121;

describeFlows('events that come twice, late or in another order', (suite) => {
  it.concurrent(
    `gives random graphs the same children and status under duplicated, shuffled and forged wake-ups (scenario 34, seed ${seed})`,
    async () => {
      const world = await suite.world('shuffled');
      const random = seededRandom(seed);
      const graphs = Array.from({ length: 6 }, (_, index) => randomGraph(`graph-${index}`, random));
      await world.apply(...graphs);
      const disturbance = new AbortController();
      const names = graphs.map(({ metadata }) => metadata.name);
      const disturbed = disturb(suite, world, names, random, disturbance.signal);
      for (const { metadata, spec } of graphs) {
        const { status } = await world.untilState(metadata.name, 'Succeed', 90_000);
        expect(status?.jobStatusList?.map(({ name, state }) => [name, state])).toEqual(
          spec.flows.map(({ name }) => [name, 'Succeed']),
        );
        for (const { name, dependencies = [] } of spec.flows) {
          for (const dependency of dependencies) {
            const [upstream, dependant] = [dependency, name].map(
              (part) => `${metadata.name}-${part}`,
            );
            expect(world.advanceMs(upstream!, dependant!)).toBeGreaterThanOrEqual(0);
          }
        }
      }
      disturbance.abort();
      await disturbed;
      const all = graphs.flatMap(({ metadata, spec }) =>
        spec.flows.map(({ name }) => `${metadata.name}-${name}`),
      );
      expect((await world.namesEverCreated()).toSorted()).toEqual(all.toSorted());
    },
  );

  it.concurrent(
    'looks at a flow one at a time, however many equal events there are (volcano#3134)',
    async () => {
      const world = await suite.world('thousand');
      await world.apply(flow('one', [step('a', { runFor: untilEnded })]));
      await world.untilStep('one', 'a', 'Running');
      const before = await world.requests({ user: 'flow-advance' });
      const item = wakeUp(world, 'one');
      await suite.enqueue(Array<WorkItem>(1_000).fill(item));
      await sleep(2_000);
      const after = await world.requests({ user: 'flow-advance' });
      // One run, and at most one that waited behind it, with a few requests each.
      expect(after.length - before.length).toBeLessThan(12);
      await world.endPod('one-a');
      await world.untilState('one', 'Succeed');
    },
  );

  it.concurrent(
    'converges while another client keeps writing to the flow (scenario 37)',
    async () => {
      const world = await suite.world('conflicts');
      await world.apply(
        flow('stormy', [
          step('a'),
          step('b', { after: ['a'] }),
          step('c', { after: ['a'] }),
          step('d', { after: ['b', 'c'], exitCode: 1 }),
          step('e', { after: ['d'] }),
        ]),
      );
      let writes = 0;
      const gust = 16;
      const conflicts = () => world.requests({ user: 'flow-advance', code: 409 });
      const storm = new AbortController();
      const met = new AbortController();
      const watching = (async () => {
        while (!met.signal.aborted && !storm.signal.aborted) {
          if ((await conflicts()).length > 0) met.abort();
          await sleep(100);
        }
      })();
      const blowing = (async () => {
        while (!storm.signal.aborted) {
          const beganMs = performance.now();
          for (let blow = 0; blow < gust; blow += 1) {
            writes += 1;
            await world.patchFlow('stormy', {
              metadata: { annotations: { gust: String(writes) } },
            });
          }
          // Without a pause the first conflict is certain. From then on, a decision has enough time between two gusts
          // for its five or so requests, however slow the machine is.
          if (met.signal.aborted) await sleep((performance.now() - beganMs) / 2);
        }
      })();
      const failed = async () => {
        try {
          return await world.untilState('stormy', 'Failed', 90_000);
        } finally {
          storm.abort();
          await Promise.all([blowing, watching]);
        }
      };
      const { status } = await failed();
      expect((await conflicts()).length).toBeGreaterThan(0);
      expect(status).toMatchObject({ total: 5, failed: 1, running: 0, progress: '3/5' });
      expect(status?.jobStatusList?.map(({ state }) => state)).toEqual([
        'Succeed',
        'Succeed',
        'Succeed',
        'Failed',
        'Skipped',
      ]);
      expect((await world.namesEverCreated()).toSorted()).toEqual(
        ['a', 'b', 'c', 'd'].map((name) => `stormy-${name}`),
      );
    },
  );

  it.concurrent(
    'looks at the object itself when an item names one that is gone (law 1)',
    async () => {
      const world = await suite.world('forged');
      await world.apply(flow('real', [step('a', { runFor: untilEnded })]));
      await world.untilStep('real', 'a', 'Running');
      const real = wakeUp(world, 'real');
      await suite.enqueue([
        {
          ...real,
          key: { ...real.key, uid: '00000000-0000-0000-0000-000000000000' as typeof real.key.uid },
        },
        { ...real, key: { ...real.key, name: 'no-such-flow' } },
      ]);
      await world.endPod('real-a');
      await world.untilState('real', 'Succeed');
      expect(has(world.job('real-a'), 'Complete')).toBe(true);
      expect(await world.namesEverCreated()).toEqual(['real-a']);
    },
  );
});

/** Eight steps; each depends on every earlier one with probability 0.3. */
function randomGraph(name: string, random: () => number) {
  const steps = Array.from({ length: 8 }, (_, index) => {
    const after = Array.from({ length: index }, (__, earlier) => `s${earlier}`).filter(
      () => random() < 0.3,
    );
    return step(`s${index}`, { after, runFor: `${Math.round(random() * 300)}ms` });
  });
  return flow(name, steps);
}

/** Every 100 ms, five wake-ups of each flow in a new order. Some rounds are left out. */
async function disturb(
  suite: FlowSuite,
  world: FlowWorld,
  flows: readonly string[],
  random: () => number,
  signal: AbortSignal,
): Promise<void> {
  await world.until('all flows are there', () =>
    flows.every((name) => world.flow(name) !== undefined),
  );
  const items = flows.flatMap((name) => Array<WorkItem>(5).fill(wakeUp(world, name)));
  while (!signal.aborted) {
    if (random() < 0.7) await suite.enqueue(shuffled(items, random));
    await sleep(100);
  }
}

function wakeUp(world: FlowWorld, name: string): WorkItem {
  const object = world.flow(name);
  if (object === undefined) throw new Error(`there is no flow ${name}`);
  const { apiVersion, kind, metadata } = object;
  const { uid, resourceVersion } = metadata;
  return {
    function: 'flow-advance',
    key: { apiVersion, kind, namespace: world.namespace, name, uid },
    cause: asEventId(`${uid}.${resourceVersion}`),
  };
}
