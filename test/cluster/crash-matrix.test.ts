/**
 * A five-step diamond, with a fault at each of its own writes in turn. The oracle is a run without faults, and the
 * audit log, which also has deleted objects.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { auditEntries, type AuditEntry } from '#test/support/audit-log.ts';
import { type ChaosStack, openChaosStack } from '#test/support/chaos/chaos-stack.ts';
import { endStateOf } from '#test/support/chaos/end-state.ts';
import { type FaultPoint, faultPoints } from '#test/support/chaos/fault-points.ts';
import { eachCase, liveThroughFault } from '#test/support/chaos/struck-run.ts';
import type { ThrowawayMillrace } from '#test/support/chaos/throwaway-millrace.ts';
import { type FaultKind, faultKinds } from '#test/support/faulty-client.ts';
import { flow, type FlowWorld, step } from '#test/support/flow-world.ts';
import { describeWithCluster } from '#test/support/require.ts';
import { testExtent } from '#test/support/test-extent.ts';

const edges = [
  ['a', 'b'],
  ['a', 'c'],
  ['a', 'd'],
  ['b', 'e'],
  ['c', 'e'],
  ['d', 'e'],
] as const;
/** a, then b, c and d, then e. */
const waves = 3;
const children = ['diamond-a', 'diamond-b', 'diamond-c', 'diamond-d', 'diamond-e'];

function diamond(name = 'diamond') {
  const runFor = '200ms';
  const middle = ['b', 'c', 'd'];
  return flow(name, [
    step('a', { runFor }),
    ...middle.map((each) => step(each, { after: ['a'], runFor })),
    step('e', { after: middle, runFor }),
  ]);
}

/** Namespaces with faults at the same time. More would only wait for the two cores. */
const casesAtOnce = 12;
/** A run has fewer status patches when two changes come together. Then the point is tried again. */
const attemptsToFire = 3;
/** There are no sweeps meanwhile, because a busy machine is slow. */
const patienceMs = 100_000;
/** Limit for the writes that one fault may add: those that change nothing, or are refused. */
const idleWrites = 6;
/** A slow machine shows the changes one by one, with a status for each: created, running, ended. */
const changesOfAStep = 3;

/** The simulation injects all faults. These two leave a write behind that its writer does not know of. */
const struckBy: readonly FaultKind[] =
  testExtent() === 'full' ? faultKinds : ['crashAfter', 'replyLost'];

interface Ended {
  readonly world: FlowWorld;
  readonly state: unknown;
  readonly tookMs: number;
}

describeWithCluster('a diamond disturbed at each of its own writes', (cluster) => {
  let stack: ChaosStack;
  let clean: unknown;
  let points: readonly FaultPoint[] = [];

  beforeAll(async () => {
    stack = await openChaosStack(cluster);
    const undisturbed = await eachCase(
      ['clean-1', 'clean-2', 'clean-3'],
      casesAtOnce,
      async (name) => {
        const world = await stack.world(name);
        const millrace = stack.millrace(world);
        const ended = await untilEnded(world, () => millrace);
        await millrace.discard();
        return { ...ended, writes: millrace.client.writes };
      },
    );
    clean = undisturbed[0]!.state;
    for (const { state } of undisturbed) expect(state).toEqual(clean);
    points = faultPoints(
      undisturbed.map(({ writes }) => writes),
      waves,
    );
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  it('knows every write of a clean run', () => {
    const labels = points.map(({ label }) => label);
    expect(labels).toEqual(
      expect.arrayContaining([
        ...[1, 2, 3, 4, 5].map((number) => `create of jobs ${number}`),
        'create of events 1',
        'create of events 2',
        'patch of jobflows 1',
        'patch of jobflows that ends the flow 1',
      ]),
    );
    expect(new Set(labels).size).toBe(labels.length);
  });

  it.each(struckBy)('ends like an undisturbed one, each Job created once: %s', async (fault) => {
    const startedAt = performance.now();
    const cases = await eachCase(points, casesAtOnce, (point, index) =>
      disturbed(fault, point, index),
    );
    const ended = cases.filter((each) => each !== undefined);
    const audit = await writesByNamespace(cluster.auditLog);
    const faults = ended.flatMap((each) =>
      faultsOf(each, audit).map((text) => `${each.label}: ${text}`),
    );
    const seconds = (performance.now() - startedAt) / 1000;
    report(fault, points.length, ended, audit, seconds);
    expect(faults, faults.join('\n')).toEqual([]);
  });

  it('creates each Job once with two replicas of everything and no leader', async () => {
    const world = await stack.world('replicas');
    const replicas = [stack.millrace(world), stack.millrace(world)];
    const names = ['one', 'two', 'three', 'four'];
    await world.apply(...names.map(diamond));
    for (const name of names) await world.untilState(name, 'Succeed', patienceMs);
    for (const replica of replicas) await untilQuiet(world, () => replica);
    await Promise.all(replicas.map((replica) => replica.discard()));
    const wanted = names.flatMap((name) => ['a', 'b', 'c', 'd', 'e'].map((s) => `${name}-${s}`));
    expect((await world.namesEverCreated()).toSorted()).toEqual(wanted.toSorted());
    for (const replica of replicas) expect(replica.client.writes.length).toBeGreaterThan(0);
  });

  it('leaves the flows of other namespaces alone when it serves one', async () => {
    const [served, other] = await Promise.all([stack.world('served'), stack.world('other')]);
    const millrace = stack.millrace(served);
    await Promise.all([served.apply(diamond()), other.apply(diamond())]);
    await served.untilState('diamond', 'Succeed', patienceMs);
    await millrace.discard();
    expect(other.flow('diamond')?.status).toBeUndefined();
    expect(await other.namesEverCreated()).toEqual([]);
  });

  /**
   * One run with one fault, from the apply to the end. Fails when the fault did not strike. Undefined when no run made
   * an optional write.
   */
  async function disturbed(fault: FaultKind, point: FaultPoint, index: number) {
    const label = `${fault} at ${point.label}`;
    for (let attempt = 1; attempt <= attemptsToFire; attempt += 1) {
      const world = await stack.world(`${fault.toLowerCase()}-${index}-${attempt}`);
      const plan = { fault, write: point.strikes, retryAfterMs: 1_000 };
      const { fired, result } = await liveThroughFault({ stack, world, plan }, (current) =>
        untilEnded(world, current),
      ).catch((cause: unknown) => {
        throw new Error(label, { cause });
      });
      if (fired > 0) return { ...result, label, fired };
    }
    if (point.isCertain) throw new Error(`${label}: the fault never struck`);
    return undefined;
  }

  function faultsOf({ world, state }: Ended, audit: Audit): readonly string[] {
    const writes = audit.get(world.namespace) ?? [];
    const created = (resource: string) =>
      writes.filter(
        ({ verb, resource: of, code }) => verb === 'create' && of === resource && code === 201,
      );
    const jobs = created('jobs').map(({ name }) => name);
    return [
      ...(isDeepStrictEqual(state, clean) ? [] : [`ended as ${JSON.stringify(state)}`]),
      ...(isDeepStrictEqual(jobs.toSorted(), children) ? [] : [`created ${jobs.join(' ')}`]),
      ...(created('events').length <= 2 ? [] : ['an Event was written twice']),
      ...tooMany(world, writes),
      ...tooEarly(world),
    ];
  }
});

/** The number of writes does not depend on the clock: all but a few gave the flow another status. */
function tooMany(world: FlowWorld, writes: readonly AuditEntry[]): readonly string[] {
  // The first version is the applied one, the second its acceptance.
  const statuses = world.flowSightings('diamond').length - 1;
  const creates = writes.filter(({ verb, code }) => verb === 'create' && code === 201).length;
  const isBounded =
    statuses <= 1 + changesOfAStep * children.length &&
    writes.length <= creates + statuses + idleWrites;
  return isBounded ? [] : [`${statuses} statuses by ${writes.map(wordsOf).join(', ')}`];
}

function wordsOf({ verb, resource, name, code }: AuditEntry): string {
  return `${verb} ${resource} ${name} ${code}`;
}

/** Dependants that the API server stored before all their dependencies were Complete. */
function tooEarly(world: FlowWorld): readonly string[] {
  return edges.flatMap(([upstream, dependant]) => {
    try {
      world.advanceMs(`diamond-${upstream}`, `diamond-${dependant}`);
      return [];
    } catch (error) {
      return [String(error)];
    }
  });
}

/** Waits until the flow has succeeded and nothing is written any more. */
async function untilEnded(world: FlowWorld, millrace: () => ThrowawayMillrace): Promise<Ended> {
  const startedAt = performance.now();
  await world.apply(diamond());
  await world.untilState('diamond', 'Succeed', patienceMs);
  const tookMs = performance.now() - startedAt;
  await untilQuiet(world, millrace);
  return { world, state: endStateOf(world, 'diamond'), tookMs };
}

const quietMs = 700;

async function untilQuiet(world: FlowWorld, millrace: () => ThrowawayMillrace): Promise<void> {
  const deadline = performance.now() + patienceMs;
  let before: ReturnType<typeof glance> | undefined;
  while (performance.now() < deadline) {
    const now = glance(world, millrace());
    const isSame = now.client === before?.client && now.version === before.version;
    if (now.synced && isSame && now.writes === before?.writes) return;
    before = now;
    await sleep(quietMs);
  }
  throw new Error(`${world.namespace} does not become quiet`);
}

function glance(world: FlowWorld, { synced, client }: ThrowawayMillrace) {
  const version = world.flow('diamond')?.metadata.resourceVersion;
  return { synced, client, writes: client.writes.length, version };
}

type Audit = ReadonlyMap<string, readonly AuditEntry[]>;

/** The writes of flow-advance, read once for all cases of a fault. */
async function writesByNamespace(auditLog: string): Promise<Audit> {
  const verb = /^(create|patch|update|delete)$/;
  const entries = await auditEntries(auditLog, { verb, user: 'flow-advance' });
  return Map.groupBy(entries, ({ namespace }) => namespace);
}

function report(
  fault: FaultKind,
  points: number,
  ended: readonly (Ended & { readonly fired: number })[],
  audit: Audit,
  seconds: number,
): void {
  const writes = ended.flatMap(({ world }) => audit.get(world.namespace) ?? []).length;
  const slowest = Math.max(...ended.map(({ tookMs }) => tookMs)) / 1000;
  const fired = ended.reduce((sum, each) => sum + each.fired, 0);
  process.stdout.write(
    `crash matrix | ${fault.padEnd(15)} | ${points} cases | ${fired} fired | ${writes} writes | ` +
      `${seconds.toFixed(1)} s | slowest flow ${slowest.toFixed(1)} s\n`,
  );
}
