import { Registry } from 'prom-client';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { MillraceError } from '#shared/domain/errors.ts';
import type { Lease, WorkQueue } from '#shared/queue/work-queue.ts';
import type { Delivery } from './deliver.ts';
import { createDispatcherMetrics } from './dispatcher-metrics.ts';
import { maxFailures } from './settle.ts';
import { workItem } from './testing/work-item.ts';
import { workUntilStopped } from './worker-loop.ts';

const outage = new MillraceError('MR_QUEUE_UNAVAILABLE', { address: 'x', detail: 'down' });
const done: Delivery = { kind: 'done' };
const failing: Delivery = { kind: 'retry', detail: 'no' };
const absent: Delivery = { kind: 'unreachable', detail: 'ECONNREFUSED' };
const refused: Delivery = { kind: 'refused', detail: '401' };

interface Line {
  readonly level: number;
  readonly msg: string;
}

/** Runs a worker on what the queue returns in turn: an item with so many failures, or an outage. */
async function work(
  takes: readonly (number | 'outage')[],
  deliveries: readonly Delivery[],
  queue: Partial<WorkQueue> = {},
) {
  const left = [...takes];
  const answers = [...deliveries];
  const lines: Line[] = [];
  const settled: unknown[] = [];
  const sleeps: number[] = [];
  const lease = (failures: number): Lease => ({
    ...{ item: workItem('a'), failures, signal: new AbortController().signal },
    ack: async () => void settled.push('ack'),
    later: async (afterMs, { failed }) => void settled.push({ afterMs, failed }),
    park: async (reason) => void settled.push(reason),
  });
  const take = async () => {
    const next = left.shift();
    if (next === 'outage') throw outage;
    return next === undefined ? undefined : lease(next);
  };
  const never = new AbortController().signal;
  const registry = new Registry();
  const options = {
    queue: { take, ...queue } as unknown as WorkQueue,
    deliver: async () => answers.shift() ?? done,
    clock: {
      now: () => 0,
      monotonicMs: () => 0,
      sleep: async (ms: number) => void sleeps.push(ms),
    },
    random: () => 0,
    logger: pino(
      { level: 'debug' },
      { write: (line: string) => void lines.push(JSON.parse(line) as Line) },
    ),
    metrics: createDispatcherMetrics(registry),
    onSettled: () => undefined,
    reach: { misses: 0 },
  };
  await workUntilStopped('flow-advance', options, { stop: never, kill: never });
  return {
    lines,
    registry,
    settled,
    sleeps,
    logged: lines.map(({ level, msg }) => [pino.levels.labels[level], msg]),
  };
}

describe('the log of a worker', () => {
  it('reports the outcome of every item, with a level by its severity', async () => {
    const parked: Delivery = { kind: 'parked', detail: '422' };
    const { logged } = await work([0, 0, 0, maxFailures - 1], [done, failing, parked, failing]);
    expect(logged).toEqual([
      ['debug', 'item was delivered'],
      ['warn', 'item failed and is tried again'],
      ['error', 'item was parked'],
      ['error', 'item was parked'],
    ]);
  });

  it('names the item, its event and its failures', async () => {
    const { lines } = await work([2], [failing]);
    expect(lines).toMatchObject([
      { function: 'flow-advance', eventId: 'u-a.1', failures: 2, verdict: failing },
    ]);
  });

  it('reports each cause of refused deliveries once, and its end', async () => {
    const { logged, lines } = await work([0, 0, 0, 0], [absent, absent, refused, done]);
    expect(logged.filter(([level]) => level !== 'debug')).toEqual([
      ['warn', 'function is unreachable'],
      ['error', 'function refuses the deliveries: its key or clock differs'],
      ['info', 'function answers again'],
    ]);
    expect(lines).toMatchObject([
      ...[{ function: 'flow-advance', detail: 'ECONNREFUSED' }, {}, {}],
      ...[{ function: 'flow-advance', detail: '401' }, {}],
      ...[{ function: 'flow-advance', msg: 'function answers again', misses: 3 }, {}],
    ]);
  });

  it('reports a function that is unreachable again once more', async () => {
    const { logged } = await work([0, 0, 0], [absent, done, absent]);
    expect(logged.filter(([, message]) => message === 'function is unreachable')).toHaveLength(2);
  });

  it('reports a queue that does not answer', async () => {
    const { lines } = await work(['outage'], []);
    expect(lines).toMatchObject([
      { level: 40, msg: 'queue is unavailable', function: 'flow-advance', delayMs: 100 },
    ]);
  });
});

it('the metrics of a worker have the duration of each delivery, and show that none is running any more', async () => {
  const { registry } = await work([0, 0], [done, failing]);
  const metrics = await registry.metrics();
  const labels = '{function="flow-advance"}';
  expect(metrics).toContain(`millrace_delivery_seconds_count${labels} 2`);
  expect(metrics).toContain(`millrace_deliveries_running${labels} 0`);
});

describe('a worker', () => {
  it('waits longer after each outage of the queue in a row, at most five seconds (loop-2)', async () => {
    const { sleeps } = await work(
      Array.from({ length: 8 }, () => 'outage' as const),
      [],
    );
    expect(sleeps).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
  });

  it('waits as short a time as at first when the queue answered in between (loop-2)', async () => {
    const { sleeps } = await work(['outage', 'outage', 0, 'outage'], []);
    expect(sleeps).toEqual([100, 200, 100]);
  });

  it('waits longer while its deliveries are not accepted, at most two seconds, and not at all afterwards (loop-4)', async () => {
    const misses = Array.from({ length: 7 }, () => absent);
    const { sleeps } = await work(
      Array.from({ length: 9 }, () => 0),
      [...misses, done, absent],
    );
    expect(sleeps).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000, 100]);
  });
});

describe('an item that must run once more', () => {
  const requeue: Delivery = { kind: 'requeue', afterMs: 5 };

  it('is added before it is acknowledged (queue-2)', async () => {
    const { settled } = await work([1], [requeue], { add: async () => undefined });
    expect(settled).toEqual(['ack']);
  });

  it('is postponed, and does not count as failed, when the queue refuses it (loop-1)', async () => {
    const { settled, logged } = await work([1], [requeue], { add: () => Promise.reject(outage) });
    expect(settled).toEqual([{ afterMs: 0, failed: false }]);
    expect(logged).toContainEqual(['warn', 'queue is unavailable']);
  });
});
