import { expect, it } from 'vitest';
import { queuedKindOf } from '#shared/api/work/queued-kinds.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { job as jobObject } from '#shared/domain/testing/objects.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { admitted, queuedFlow, snapshotOf, workloadOf } from '../testing/queued.ts';
import { suspendedJobs } from './jobs.ts';

const startTime = '2026-11-27T09:00:00Z';
const started = queuedFlow({ status: { startTime } });
const isAdmitted = [workloadOf(queuedFlow(), admitted)];
const placed = jobObject({
  name: 'etl-a',
  metadata: { labels: { 'millrace.dev/step': 'a' } },
  spec: { suspend: true, template: { spec: { nodeSelector: { pool: 'gold' } } } },
});

async function jobsOf(object: KubeObject, workloads = isAdmitted) {
  const asked: unknown[] = [];
  const reader = {
    listByOwner: async (...question: readonly unknown[]) => {
      asked.push(question);
      return [placed];
    },
  } as unknown as Reader;
  const { key } = snapshotOf(object);
  const found = await suspendedJobs(key, object, queuedKindOf(object), workloads, reader);
  return { names: found.map(({ name }) => name), asked: asked.length };
}

it('the Jobs of a flow that was admitted before are asked for when it is admitted again', async () => {
  expect(await jobsOf(started)).toEqual({ names: ['etl-a'], asked: 1 });
});

it.each([
  ['has never started', queuedFlow(), isAdmitted],
  ['runs', queuedFlow({ spec: { suspend: false }, status: { startTime } }), isAdmitted],
  ['waits for an admission', started, [workloadOf(queuedFlow())]],
])('the Jobs are not read of a flow that %s', async (_, object, workloads) => {
  expect(await jobsOf(object, workloads)).toEqual({ names: [], asked: 0 });
});
