import { pino } from 'pino';
import { Registry } from 'prom-client';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import { asEventId } from '#shared/domain/objects.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import { createFunctionMetrics } from '../function/function-metrics.ts';
import {
  createItemProcessor,
  type ItemProcessorOptions,
  type ProcessItem,
} from '../function/process-item.ts';
import { trustBy } from '../function/trust.ts';
import { oneJob, type OneJobSnapshot } from './one-job-function.ts';
import { createStoredCluster, type StoredCluster } from './stored-cluster.ts';

export interface FlowCase {
  readonly cluster: StoredCluster;
  readonly item: WorkItem;
  readonly process: ProcessItem;
  readonly registry: Registry;
  /** Parsed log lines of all levels. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
}

export const caseNowMs = Date.parse('2026-01-01T00:00:00Z');

/** One JobFlow in a cluster, and the processor for it. */
export function flowCase(
  change: (cluster: StoredCluster) => Partial<ItemProcessorOptions<OneJobSnapshot>> = () => ({}),
  spec: unknown = {},
): FlowCase {
  const cluster = createStoredCluster();
  const flow = cluster.put({
    apiVersion: 'api.practice.com/v1alpha1',
    kind: 'JobFlow',
    metadata: { name: 'flow-a', namespace: 'default' },
    spec,
  });
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => {
    lines.push(JSON.parse(line) as Record<string, unknown>);
  };
  const registry = new Registry();
  const process = createItemProcessor({
    fn: oneJob,
    client: cluster.client,
    reader: cluster.reader,
    clock: virtualClock(caseNowMs),
    trust: trustBy({ trustNamespaces: true }),
    logger: pino({ level: 'trace' }, { write }),
    metrics: createFunctionMetrics(registry),
    instance: 'test',
    version: '1.2.3',
    ...change(cluster),
  });
  const { apiVersion, kind, metadata } = flow;
  const key = { apiVersion, kind, namespace: 'default', name: 'flow-a', uid: metadata.uid };
  const item = { function: 'flow-advance', key, cause: asEventId('u-job.7') };
  return { cluster, item, process, registry, lines };
}
