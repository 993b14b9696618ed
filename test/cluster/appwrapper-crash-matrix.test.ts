/**
 * AppWrappers, with a fault at each of their writes in turn. The oracle is the audit log and every stored version. As
 * in a run without faults, each resource is created as often, the phases have the same order, quota is given back as
 * often, and nothing is left.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { appwrapperLifecycle } from '#functions/appwrapper-lifecycle/function.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { type ChaosStack, openChaosStack } from '#test/support/chaos/chaos-stack.ts';
import { eachCase, liveThroughFault } from '#test/support/chaos/struck-run.ts';
import type { FaultKind } from '#test/support/faulty-client.ts';
import type { FlowWorld } from '#test/support/flow-world.ts';
import { ObjectHistory } from '#test/support/flows/object-history.ts';
import { describeWithCluster } from '#test/support/require.ts';
import {
  faultsOfLife,
  purposeOf,
  type WrapperLife,
  wrapperLives,
} from '#test/support/wrappers/disturbed-wrapper.ts';

/** Namespaces with faults at the same time. More would only wait for the two cores. */
const casesAtOnce = 8;

/** A process that ends. All other faults are answered by the same code for each kind of object. */
const faults: readonly FaultKind[] = ['crashBefore', 'crashAfter'];

interface Point {
  readonly life: WrapperLife;
  readonly purpose: string;
  /** Position among several writes with this purpose, from 0. */
  readonly index: number;
}

const points: readonly Point[] = wrapperLives.flatMap((life) =>
  Object.entries(life.writes).flatMap(([purpose, times]) =>
    Array.from({ length: times }, (_, index) => ({ life, purpose, index })),
  ),
);

describeWithCluster('an AppWrapper disturbed at each of its own writes', (cluster) => {
  let stack: ChaosStack;
  let history: ObjectHistory<KubeObject>;

  beforeAll(async () => {
    stack = await openChaosStack(cluster);
    history = await ObjectHistory.open(stack.api, 'AppWrapper');
  });
  afterAll(async () => {
    await history.close();
    await stack[Symbol.asyncDispose]();
  });

  const faultsOf = (world: FlowWorld, life: WrapperLife) =>
    faultsOfLife(world, life, history, cluster.auditLog);

  it.each(wrapperLives)('makes the writes of a clean run: $name', async (life) => {
    const world = await stack.world(`wrapper-${life.name}`);
    const millrace = stack.millrace(world, undefined, appwrapperLifecycle);
    await life.live(world);
    await millrace.discard();
    expect(await faultsOf(world, life)).toEqual([]);
    const made = Map.groupBy(millrace.client.writes, purposeOf);
    const missing = Object.entries(life.writes).filter(
      ([purpose, times]) => (made.get(purpose)?.length ?? 0) < times,
    );
    expect(missing).toEqual([]);
  });

  it.each(faults)('ends as if nothing had happened: %s', async (fault) => {
    const found = await eachCase(points, casesAtOnce, (point, index) =>
      disturbed(fault, point, index),
    );
    expect(found.flat()).toEqual([]);
  });

  it.each(wrapperLives)(
    'is the same with two replicas of everything and no leader: $name',
    async (life) => {
      const world = await stack.world(`wrapper-replicas-${life.name}`);
      const replicas = [1, 2].map(() => stack.millrace(world, undefined, appwrapperLifecycle));
      await life.live(world);
      await Promise.all(replicas.map((replica) => replica.discard()));
      expect(await faultsOf(world, life)).toEqual([]);
    },
  );

  /** One run with one fault. Returns what was wrong. Fails when the fault did not strike. */
  async function disturbed(
    fault: FaultKind,
    { life, purpose, index }: Point,
    number: number,
  ): Promise<readonly string[]> {
    const where = `${fault} at ${purpose} ${index + 1} of ${life.name}`;
    const world = await stack.world(`wrapper-${fault.toLowerCase()}-${number}`);
    const write = (seen: Parameters<typeof purposeOf>[0], before: readonly (typeof seen)[]) =>
      purposeOf(seen) === purpose &&
      before.filter((earlier) => purposeOf(earlier) === purpose).length === index;
    const strike = { stack, world, plan: { fault, write }, fn: appwrapperLifecycle };
    try {
      const { fired } = await liveThroughFault(strike, () => life.live(world));
      if (fired === 0) throw new Error('the fault never struck');
    } catch (cause) {
      throw new Error(`${where}: ${String(cause)}`, { cause });
    }
    return (await faultsOf(world, life)).map((text) => `${where}: ${text}`);
  }
});
