/**
 * A closed window of a suspend policy, with a fault at each of its own writes in turn. The oracle is every stored
 * version of the Jobs. As in a run without faults, each Job is suspended and resumed as often, within its window, and
 * nothing of the policy is left. No Event is lost or repeated.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ChaosStack, openChaosStack } from '#test/support/chaos/chaos-stack.ts';
import { eachCase, liveThroughFault } from '#test/support/chaos/struck-run.ts';
import type { FaultKind, SeenWrite } from '#test/support/faulty-client.ts';
import { describeWithCluster } from '#test/support/require.ts';
import {
  faultsOfNight,
  liveThroughNight,
  nightFunction,
  purposeOf,
} from '#test/support/suspension/disturbed-night.ts';

/** Namespaces with faults at the same time. More would only wait for the two cores. */
const casesAtOnce = 6;

/** Writes that every run makes, each a point for a fault, with the least number of times. */
const writes: Readonly<Record<string, number>> = {
  'patch of the finalizer': 2,
  'status that says Open': 2,
  'suspension of low': 2,
  'suspension of middle': 1,
  'Event HeldByPolicy of low': 2,
  'Event HeldByPolicy of middle': 1,
  'Event WindowClosed of nights': 1,
  'status that says Closed': 1,
  'resumption of low': 2,
  'resumption of middle': 1,
  'Event WindowOpened of nights': 1,
  'note on high': 1,
  'resumption of high': 1,
};

/** A process that ends. All other faults are answered by the same code for each kind of object. */
const faults: readonly FaultKind[] = ['crashBefore', 'crashAfter'];

interface Point {
  readonly label: string;
  readonly strikes: (write: SeenWrite, before: readonly SeenWrite[]) => boolean;
}

const points: readonly Point[] = Object.entries(writes).flatMap(([purpose, times]) =>
  Array.from({ length: times }, (_, index) => ({
    label: `${purpose} ${index + 1}`,
    strikes: (write, before) =>
      purposeOf(write) === purpose &&
      before.filter((earlier) => purposeOf(earlier) === purpose).length === index,
  })),
);

describeWithCluster(
  'the night of a suspend policy, disturbed at each of its own writes',
  (cluster) => {
    let stack: ChaosStack;
    beforeAll(async () => {
      stack = await openChaosStack(cluster);
    });
    afterAll(() => stack[Symbol.asyncDispose]());

    it('knows every write of a clean run', async () => {
      const world = await stack.world('night-clean');
      const millrace = stack.millrace(world, undefined, nightFunction);
      const night = await liveThroughNight(world);
      await millrace.discard();
      expect(faultsOfNight(world, night)).toEqual([]);
      const purposes = millrace.client.writes.map(purposeOf).filter((each) => each !== undefined);
      const others = purposes.filter((each) => !(each in writes) && !each.startsWith('note on '));
      expect(others).toEqual([]);
      // A change that a view does not show yet may be requested twice.
      const missing = Object.entries(writes).filter(
        ([purpose, times]) => purposes.filter((each) => each === purpose).length < times,
      );
      expect(missing).toEqual([]);
    });

    it.each(faults)('ends as if nothing had happened: %s', async (fault) => {
      const found = await eachCase(points, casesAtOnce, (point, index) =>
        disturbed(fault, point, index),
      );
      expect(found.flat()).toEqual([]);
    });

    it('is the same with two replicas of everything and no leader', async () => {
      const world = await stack.world('night-replicas');
      const replicas = [1, 2].map(() => stack.millrace(world, undefined, nightFunction));
      const night = await liveThroughNight(world);
      await Promise.all(replicas.map((replica) => replica.discard()));
      expect(faultsOfNight(world, night)).toEqual([]);
    });

    /** One run with one fault. Returns what was wrong. Fails when the fault did not strike. */
    async function disturbed(
      fault: FaultKind,
      { label, strikes }: Point,
      index: number,
    ): Promise<readonly string[]> {
      const world = await stack.world(`night-${fault.toLowerCase()}-${index}`);
      const strike = { stack, world, plan: { fault, write: strikes }, fn: nightFunction };
      try {
        const { fired, result } = await liveThroughFault(strike, () => liveThroughNight(world));
        if (fired === 0) throw new Error('the fault never struck');
        return faultsOfNight(world, result).map((text) => `${fault} at ${label}: ${text}`);
      } catch (cause) {
        throw new Error(`${fault} at ${label}`, { cause });
      } finally {
        // Their Pods would fill the nodes.
        await world.kubectl(['delete', 'jobs', '--all', '--wait=false']);
      }
    }
  },
);
