/**
 * Flows while a part is taken away and comes back. Each part is a process of its own, so that a kill leaves only what
 * was written.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditEntries } from '#test/support/audit-log.ts';
import { type Cluster, startCluster } from '#test/support/cluster-parts.ts';
import { FlowBatch, type Recovery, recoveryOf } from '#test/support/chaos/flow-batch.ts';
import {
  apiServerKilled,
  killOf,
  type Outage,
  type PartFault,
  redisEmptied,
  redisFlushed,
  redisKilled,
  strike,
} from '#test/support/chaos/part-faults.ts';
import {
  type ProductProcesses,
  startMillraceRun,
  startSplitProcesses,
} from '#test/support/chaos/product-processes.ts';
import { ClusterApi } from '#test/support/flows/cluster-api.ts';
import { type Redis, startRedis } from '#test/support/redis.ts';
import { describeWithCluster } from '#test/support/require.ts';

const flowsPerFault = 50;
/** Control plane and product share two cores with the tests: 250 Jobs take about 20 s without faults. */
const patienceMs = 90_000;
/** Shorter than the sweep's 30 s, so it was not the sweep that found the change. */
const nextWriteWithinMs = 20_000;

/** The baseline of the recoveries. */
const nothing: PartFault = { name: 'nothing, for comparison', take: () => Promise.resolve() };
const outages: readonly PartFault[] = [
  ...[nothing, redisFlushed, redisEmptied, redisKilled, apiServerKilled],
];
const killed = ['bridge', 'dispatcher', 'flow-advance'];

describeWithCluster(`${flowsPerFault} flows survive`, () => {
  let cluster: Cluster;
  let redis: Redis;
  let api: ClusterApi;

  beforeAll(async () => {
    [cluster, redis] = await Promise.all([
      startCluster(() => undefined),
      startRedis({ persistence: true }),
    ]);
    api = new ClusterApi({
      server: cluster.server,
      caFile: cluster.caFile,
      token: cluster.adminToken,
    });
  });
  afterAll(async () => {
    await api.close();
    await Promise.all([cluster.stop(), redis.stop()]);
  });

  describe('with everything in one process', () => {
    survives('run', [...outages, killOf('millrace')], startMillraceRun);
  });

  describe('with every part in a process of its own', () => {
    survives('split', [...outages, ...killed.map(killOf)], startSplitProcesses);

    it('and list hardly anything: what their children are the bridge keeps (ADR 11)', async () => {
      const flows = await FlowBatch.apply(api, 'split-views', flowsPerFault);
      await flows.untilAllEnded(patienceMs);
      const asked = await auditEntries(cluster.auditLog, {
        user: 'flow-advance',
        namespace: 'split-views',
      });
      const lists = asked.filter(({ verb }) => verb === 'list');
      const writes = asked.filter(({ verb }) => verb === 'create' || verb === 'patch');
      expect(writes.length).toBeGreaterThan(flowsPerFault * 5);
      // Without views a pass lists at least once. While Redis is slow to answer, the API server is asked as well.
      expect(lists.length).toBeLessThan(writes.length / 5);
    });
  });

  function survives(
    way: string,
    faults: readonly PartFault[],
    start: (cluster: Cluster, redis: Redis) => Promise<ProductProcesses>,
  ): void {
    let product: ProductProcesses;
    beforeAll(async () => {
      product = await start(cluster, redis);
    });
    afterAll(() => product.stop());

    it.each(faults)('$name', async (fault) => {
      const namespace = `${way}-${faults.indexOf(fault)}`;
      const flows = await FlowBatch.apply(api, namespace, flowsPerFault);
      await flows.untilMidway(patienceMs);
      const unfinished = await flows.unfinished();
      const outage = await strike(fault, { cluster, redis, product });
      await flows.untilAllEnded(patienceMs);
      const recovery = await recoveryOf(cluster.auditLog, namespace, outage.endedAtMs);
      report(way, fault, unfinished, { ...outage, ...recovery });
      expect(unfinished, 'flows that the fault met').toBeGreaterThan(flowsPerFault / 2);
      expect(await flows.faults(cluster.auditLog, fault.isLogComplete ?? true)).toEqual([]);
      expect(product.ended()).toEqual([]);
      expect(recovery.nextWriteMs).toBeLessThan(nextWriteWithinMs);
    });
  }
});

function report(
  way: string,
  { name }: PartFault,
  unfinished: number,
  { answersAfterMs, nextWriteMs, nextJobMs, allEndedMs }: Outage & Recovery,
): void {
  const seconds = (ms: number | undefined) =>
    ms === undefined ? 'none' : `${(ms / 1000).toFixed(1)} s`;
  const columns = [
    `recovery | ${way.padEnd(5)} | ${name.padEnd(48)}`,
    `${unfinished} of ${flowsPerFault} flows unfinished`,
    `answers after ${seconds(answersAfterMs)}`,
    `next write ${seconds(nextWriteMs)}`,
    `next Job ${seconds(nextJobMs)}`,
    `all ended ${seconds(allEndedMs)}`,
  ];
  process.stdout.write(`${columns.join(' | ')}\n`);
}
