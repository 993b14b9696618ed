/**
 * Nodes that appear, disappear, and are cordoned and tainted while a DaemonJob runs on them. For another number of
 * nodes: `MILLRACE_TEST_NODES=1000 npx vitest run --project cluster test/cluster/daemon-churn.test.ts`.
 */
import { expect, it } from 'vitest';
import { annotations, labels } from '#shared/domain/labels.ts';
import { daemonJob } from '#test/support/daemons/daemon-manifest.ts';
import { TestNodes, testTaint } from '#test/support/daemons/test-nodes.ts';
import { describeFlows } from '#test/support/flow-suite.ts';
import { has, type FlowWorld, untilEnded } from '#test/support/flow-world.ts';

const count = Number(process.env['MILLRACE_TEST_NODES'] ?? 150);
/** The control plane is the limit: a thousand nodes take proportionally longer. Milliseconds. */
const patienceMs = 300 * count;

const numbered = (first: number, amount: number) =>
  Array.from({ length: amount }, (_, index) => `n${String(first + index).padStart(5, '0')}`);

/** Interleaved, so that each part has nodes whose Pods run and nodes that still wait. */
function parts(names: readonly string[]) {
  const part = (...digits: readonly number[]) =>
    names.filter((_, index) => digits.includes(index % 10));
  return { removed: part(0), cordoned: part(1, 2), tainted: part(3, 4), open: part(5, 6, 7, 8, 9) };
}

describeFlows('a DaemonJob whose nodes change', (suite) => {
  it(
    'runs exactly once on every node that stays or comes, and accounts for each at any time',
    { timeout: 4 * patienceMs },
    async ({ onTestFinished }) => {
      const world = await suite.world('churn');
      const nodes = new TestNodes(suite.api(), world.namespace, onTestFinished);
      const first = await nodes.add(numbered(0, count));
      const { removed, cordoned, tainted, open } = parts(first);
      await world.apply(
        daemonJob('churns', nodes.pool, {
          parallelism: '50%',
          completionPolicy: 'Never',
          runFor: untilEnded,
        }),
      );
      const half = first[Math.floor(count / 2)]!;
      const running = removed.filter((name) => name < half);
      await world.until(
        'Pods run on half of the nodes that are removed',
        () => running.every((name) => isRunningOn(world, name)),
        patienceMs,
      );

      const closed = { key: 'closed', effect: 'NoSchedule' };
      const own = { key: testTaint, effect: 'NoSchedule' };
      const [added] = await Promise.all([
        nodes.add(numbered(count, count / 10)),
        nodes.each(removed, (name) => nodes.remove(name)),
        nodes.each(cordoned, (name) => nodes.patch(name, { spec: { unschedulable: true } })),
        nodes.each(tainted, (name) => nodes.patch(name, { spec: { taints: [own, closed] } })),
      ]);
      const finished = new AbortController();
      const ending = world.endPods(finished.signal);
      onTestFinished(async () => {
        finished.abort();
        await ending;
      });
      const present = [...open, ...added, ...cordoned, ...tainted];
      await world.until(
        'the open nodes have run and the closed ones are counted as skipped or active',
        () => isAtRest(world, { present, open: [...open, ...added] }),
        patienceMs,
      );

      await Promise.all([
        nodes.each(cordoned, (name) => nodes.patch(name, { spec: { unschedulable: null } })),
        nodes.each(tainted, (name) => nodes.patch(name, { spec: { taints: [own] } })),
      ]);
      const ended = await world.untilDaemonJob(
        'churns',
        'has run on every node',
        ({ status }) => status?.state === 'Succeed' && status.succeeded === present.length,
        patienceMs,
      );
      expect(ended.status).toMatchObject({ desired: present.length, skipped: 0, failed: 0 });
      await world.until('every Job has ended', () =>
        world.jobs().every((job) => has(job, 'Complete')),
      );
      const ran = world.jobs().map(({ metadata }) => metadata.annotations?.[annotations.nodeName]);
      expect(ran.filter((name) => !removed.includes(name ?? '')).toSorted()).toEqual(
        present.toSorted(),
      );
      const machines = world.jobs().map(({ metadata }) => metadata.labels?.[labels.nodeUid]);
      expect(new Set(machines).size).toBe(machines.length);
      const created = await world.namesEverCreated();
      expect(created.toSorted()).toEqual([...new Set(created)].toSorted());
      const deletions = await world.requests({
        verb: 'delete',
        resource: 'jobs',
        user: 'daemon-fanout',
      });
      const ofRemoved = new Set(removed.map((name) => `churns-${name}`));
      expect(deletions.map(({ name }) => name).filter((name) => !ofRemoved.has(name))).toEqual([]);
    },
  );
});

function isRunningOn(world: FlowWorld, node: string): boolean {
  return world.pods(`churns-${node}`).some(({ status }) => status?.phase === 'Running');
}

/** A Pod that was not placed before its node was cordoned waits for it, and its Job counts as active. */
function isAtRest(
  world: FlowWorld,
  { present, open }: { readonly present: readonly string[]; readonly open: readonly string[] },
): boolean {
  const { status } = world.daemonJob('churns') ?? {};
  if (status?.waiting !== 0) return false;
  const nodes = new Set(present);
  const complete = world
    .jobs()
    .filter((job) => has(job, 'Complete'))
    .map(({ metadata }) => metadata.annotations?.[annotations.nodeName] ?? '');
  const ran = new Set(complete.filter((name) => nodes.has(name)));
  const { desired = 0, skipped = 0, succeeded = 0, active = 0, failed = 0 } = status;
  return (
    open.every((name) => ran.has(name)) &&
    desired + skipped === present.length &&
    succeeded === ran.size &&
    active === desired - succeeded &&
    failed === 0
  );
}
