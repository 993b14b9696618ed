/**
 * A DaemonJob on three nodes, two at once, with a fault at each of its own writes in turn. The oracle is the audit log,
 * which also has deleted objects, and the ledger at the end.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { daemonFanout } from '#functions/daemon-fanout/function.ts';
import { type ChaosStack, openChaosStack } from '#test/support/chaos/chaos-stack.ts';
import { eachCase, liveThroughFault } from '#test/support/chaos/struck-run.ts';
import { daemonJob } from '#test/support/daemons/daemon-manifest.ts';
import { TestNodes } from '#test/support/daemons/test-nodes.ts';
import { type FaultKind, faultKinds, type SeenWrite } from '#test/support/faulty-client.ts';
import type { FlowWorld } from '#test/support/flow-world.ts';
import { describeWithCluster } from '#test/support/require.ts';

const pool = 'daemon-crashes';
const nodeNames = ['a', 'b', 'c'].map((name) => `${pool}-${name}`);
const jobNames = nodeNames.map((name) => `wipe-${name}`);
/** Namespaces with faults at the same time. More would only wait for the two cores. */
const casesAtOnce = 8;
/** There are no sweeps meanwhile, because a busy machine is slow. */
const patienceMs = 100_000;

/** Writes that every run makes, each a point where a fault can strike. */
const points: readonly { readonly label: string; readonly strikes: Strikes }[] = [
  ...[1, 2, 3].map((number) => nth('jobs', number)),
  ...[1, 2].map((number) => nth('events', number)),
  nth('daemonjobs', 1),
  { label: 'the status that ends it', strikes: isEnd },
];

type Strikes = (write: SeenWrite, before: readonly SeenWrite[]) => boolean;

function nth(plural: string, number: number) {
  const strikes: Strikes = (write, before) =>
    write.plural === plural &&
    before.filter((earlier) => earlier.plural === plural).length === number - 1;
  return { label: `write of ${plural} ${number}`, strikes };
}

function isEnd({ plural, content }: SeenWrite): boolean {
  if (plural !== 'daemonjobs') return false;
  const { status } = content as { readonly status?: { readonly completionTime?: string } };
  return status?.completionTime !== undefined;
}

describeWithCluster('a DaemonJob disturbed at each of its own writes', (cluster) => {
  let stack: ChaosStack;
  const cleanUps: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    stack = await openChaosStack(cluster);
    const nodes = new TestNodes(stack.api, pool, (cleanUp) => void cleanUps.push(cleanUp));
    await nodes.addNamed(nodeNames);
  });
  afterAll(async () => {
    for (const cleanUp of cleanUps) await cleanUp();
    await stack[Symbol.asyncDispose]();
  });

  it.each(faultKinds)('ends in success, each Job created once: %s', async (fault) => {
    const faults = await eachCase(points, casesAtOnce, (point, index) =>
      disturbed(fault, point, index),
    );
    expect(faults.flat(), faults.flat().join('\n')).toEqual([]);
  });

  it('creates each Job once with two replicas of everything and no leader', async () => {
    const world = await stack.world('daemon-replicas');
    const replicas = [1, 2].map(() => stack.millrace(world, undefined, daemonFanout));
    await untilEnded(world);
    await Promise.all(replicas.map((replica) => replica.discard()));
    expect((await world.namesEverCreated()).toSorted()).toEqual(jobNames);
  });

  /** One run with one fault. Returns what was wrong at its end. Fails when the fault did not strike. */
  async function disturbed(
    fault: FaultKind,
    { label, strikes }: (typeof points)[number],
    index: number,
  ): Promise<readonly string[]> {
    const world = await stack.world(`daemon-${fault.toLowerCase()}-${index}`);
    const plan = { fault, write: strikes, retryAfterMs: 1_000 };
    try {
      const strike = { stack, world, plan, fn: daemonFanout };
      const { fired } = await liveThroughFault(strike, () => untilEnded(world));
      if (fired === 0) throw new Error('the fault never struck');
    } catch (cause) {
      throw new Error(`${fault} at ${label}`, { cause });
    }
    const created = (await world.namesEverCreated()).toSorted();
    return created.join() === jobNames.join()
      ? []
      : [`${fault} at ${label}: created ${created.join(' ')}`];
  }
});

async function untilEnded(world: FlowWorld): Promise<void> {
  await world.apply(daemonJob('wipe', pool, { parallelism: 2, runFor: '200ms' }));
  const ended = await world.untilDaemonJob(
    'wipe',
    'has succeeded everywhere',
    ({ status }) => status?.state === 'Succeed' && status.succeeded === 3,
    patienceMs,
  );
  expect(Object.keys(ended.status?.ledger ?? {})).toEqual(['Succeeded']);
}
