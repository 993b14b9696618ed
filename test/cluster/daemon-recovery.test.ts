/**
 * Five DaemonJobs over many nodes, while one part after the other is taken away and comes back. Each part is a process
 * of its own, so that a kill leaves only what was written.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DaemonBatch } from '#test/support/chaos/daemon-batch.ts';
import {
  apiServerKilled,
  killOf,
  type PartFault,
  type Parts,
  redisFlushed,
  strike,
} from '#test/support/chaos/part-faults.ts';
import { startSplitProcesses } from '#test/support/chaos/product-processes.ts';
import { startCluster } from '#test/support/cluster-parts.ts';
import { TestNodes } from '#test/support/daemons/test-nodes.ts';
import { ClusterApi } from '#test/support/flows/cluster-api.ts';
import { startRedis } from '#test/support/redis.ts';
import { describeWithCluster } from '#test/support/require.ts';
import { testExtent } from '#test/support/test-extent.ts';

/** With thirty nodes each fault strikes while Jobs of every DaemonJob are running. */
const nodeCount = testExtent() === 'full' ? 200 : 30;
const daemonCount = 5;
/** A thousand Jobs with Pods take about 20 s without faults, and each fault stops them for some seconds. */
const patienceMs = 90_000;

const faults: readonly PartFault[] = [
  killOf('bridge'),
  killOf('dispatcher'),
  killOf('daemon-fanout'),
  redisFlushed,
  apiServerKilled,
];

describeWithCluster('five DaemonJobs', () => {
  const stack = new AsyncDisposableStack();
  let parts: Parts;
  let api: ClusterApi;

  beforeAll(async () => {
    const [cluster, redis] = await Promise.all([
      startCluster(() => undefined),
      startRedis({ persistence: true }),
    ]);
    stack.defer(() => cluster.stop());
    stack.defer(() => redis.stop());
    api = new ClusterApi({
      server: cluster.server,
      caFile: cluster.caFile,
      token: cluster.adminToken,
    });
    stack.defer(() => api.close());
    const product = await startSplitProcesses(cluster, redis);
    stack.defer(() => product.stop());
    parts = { cluster, redis, product };
  });
  afterAll(() => stack.disposeAsync());

  it(
    `run once on each of ${nodeCount} nodes through a kill of every process, FLUSHALL and a restart of the API server`,
    { timeout: 2 * patienceMs },
    async () => {
      // The whole cluster is removed at the end, with its nodes.
      const nodes = new TestNodes(api, 'daemon-recovery', () => undefined);
      const names = await nodes.add(
        Array.from({ length: nodeCount }, (_, index) => `n${1000 + index}`),
      );
      const batch = await DaemonBatch.apply(api, nodes, names, daemonCount);
      for (const [index, fault] of faults.entries()) {
        const done = await batch.untilDone((index + 1) / (faults.length + 2), patienceMs);
        expect(done, `the share that was done before ${fault.name}`).toBeLessThan(1);
        const { endedAtMs, answersAfterMs } = await strike(fault, parts);
        const again = await batch.untilDone(done + 1 / 50, patienceMs);
        const nextJobMs = await batch.nextJobAfter(parts.cluster.auditLog, endedAtMs);
        report(fault, { done, again, answersAfterMs, nextJobMs });
      }
      await batch.untilDone(1, patienceMs);
      expect(await batch.faults(parts.cluster.auditLog)).toEqual([]);
      expect(parts.product.ended()).toEqual([]);
    },
  );
});

function report(
  { name }: PartFault,
  figures: {
    readonly done: number;
    readonly again: number;
    readonly answersAfterMs: number;
    readonly nextJobMs: number | undefined;
  },
): void {
  const { done, again, answersAfterMs, nextJobMs } = figures;
  const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  const columns = [
    `DaemonJobs | ${name.padEnd(26)} | at ${percent(done)} of the Jobs`,
    `answers after ${seconds(answersAfterMs)}`,
    `next Job ${nextJobMs === undefined ? 'none' : seconds(nextJobMs)}`,
    `at ${percent(again)} again`,
  ];
  process.stdout.write(`${columns.join(' | ')}\n`);
}
