/** A suite that compares the sandbox with the API server. It is left out while its record has the same sources. */
import { readFileSync } from 'node:fs';
import { type RunnerTask, afterAll, expect, inject, it } from 'vitest';
import type { ClusterFacts } from '#test/support/cluster-setup.ts';
import { type ClusterHandle, describeWithCluster } from '#test/support/require.ts';
import { testExtent } from '#test/support/test-extent.ts';
import { Wire } from './harness/wire.ts';
import {
  changedSince,
  type ConformanceRecord,
  type ConformanceSuite,
  hashOfSources,
  readRecord,
  writeRecord,
} from './record.ts';

/** The content of a record of this run, if everything agrees. */
export async function comparedNow(
  suite: ConformanceSuite,
  { server, caFile, adminToken }: ClusterFacts,
): Promise<ConformanceRecord> {
  const wire = new Wire({ origin: server, ca: readFileSync(caFile, 'utf8'), token: adminToken });
  try {
    const { text } = await wire.send({ method: 'GET', path: '/version' });
    const { gitVersion } = JSON.parse(text) as { readonly gitVersion: string };
    return { kubernetes: gitVersion, sources: hashOfSources(suite) };
  } finally {
    await wire.close();
  }
}

/**
 * Declares the suite. In a run that relies on the record, one test replaces it while nothing has changed. A run in
 * which all its tests passed is recorded.
 */
export async function describeAgreement(
  suite: ConformanceSuite,
  name: string,
  body: (cluster: ClusterHandle) => void,
): Promise<void> {
  const facts = inject('cluster');
  if (facts === undefined) {
    describeWithCluster(name, body);
    return;
  }
  const now = await comparedNow(suite, facts);
  if (testExtent() === 'recorded' && changedSince(readRecord(suite), now).length === 0) {
    it(`${name}: on record for these sources and this API server`, () => {
      expect(readRecord(suite)).toEqual(now);
    });
    return;
  }
  describeWithCluster(name, (cluster) => {
    body(cluster);
    afterAll(({}, { tasks }) => {
      if (tasks.every(hasPassed)) writeRecord(suite, now);
    });
  });
}

function hasPassed(task: RunnerTask): boolean {
  return task.type === 'suite' ? task.tasks.every(hasPassed) : task.result?.state === 'pass';
}
