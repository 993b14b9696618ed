/** The workloads, as declarations; `run-measurement.ts` is the same for all. */
import type { Order } from './flow-run.ts';
import { chain, diamond, fullLayers, type Shape, sparseLayers } from './flow-shapes.ts';

/** The meaningful figures of a workload; others are left out of its row. */
export type Measure = 'speed' | 'latency' | 'cost' | 'memory';

export interface Workload {
  readonly name: string;
  readonly says: string;
  readonly shape: Shape;
  readonly flows: number;
  readonly order: Order;
  /** Running time of a Job before it is complete, in milliseconds. */
  readonly jobRunMs: number;
  /** Directly after the start of the processes, without a warm-up. */
  readonly isCold?: boolean;
  readonly measures: readonly Measure[];
  /** Workloads of one series differ only in the length of a flow, to show how the cost grows. */
  readonly series?: string;
  /** Whether the null controllers run it too. */
  readonly hasLimit: boolean;
  /** Time limit; a longer run is reported as unfinished. */
  readonly atMostSeconds: number;
}

const common = {
  flows: 1,
  order: 'one by one',
  jobRunMs: 0,
  measures: ['speed', 'latency', 'cost', 'memory'],
  hasLimit: true,
  atMostSeconds: 300,
} as const;

export const workloads: readonly Workload[] = [
  {
    ...common,
    name: 'idle',
    says: 'chains of 10 steps one after the other, each Job 100 ms: every advance meets an idle system',
    shape: chain(10),
    flows: 10,
    jobRunMs: 100,
    measures: ['latency', 'cost'],
  },
  {
    ...common,
    name: 'diamonds',
    says: '200 flows at once: a step, three that depend on it, one that depends on these',
    shape: diamond,
    flows: 200,
    order: 'at once',
  },
  {
    ...common,
    name: 'first-diamonds',
    says: 'the same in the first minute of the processes',
    shape: diamond,
    flows: 200,
    order: 'at once',
    isCold: true,
  },
  {
    ...common,
    name: 'chain-10',
    says: '10 chains of 10 steps, one after the other',
    shape: chain(10),
    flows: 10,
    series: 'chains',
  },
  {
    ...common,
    name: 'chain-100',
    says: 'one chain of 100 steps',
    shape: chain(100),
    series: 'chains',
  },
  {
    ...common,
    name: 'chain-1000',
    says: 'one chain of 1,000 steps',
    shape: chain(1_000),
    series: 'chains',
    // A status of a thousand records, written a thousand times.
    atMostSeconds: 900,
  },
  {
    ...common,
    name: 'layers-20x25',
    says: '20 layers of 25 steps, each step after the whole layer before',
    shape: fullLayers(20, 25),
  },
  {
    ...common,
    name: 'layers-50x100',
    says: '50 layers of 100 steps, each step after three of the layer before',
    shape: sparseLayers(50, 100),
  },
  {
    ...common,
    name: 'finished-1000',
    says: '1,000 flows of 5 steps, applied at once: memory when all are finished',
    shape: diamond,
    flows: 1_000,
    order: 'at once',
    measures: ['speed', 'cost', 'memory'],
    hasLimit: false,
  },
];

/** Throws for a name that is not a workload. */
export function workloadsNamed(names: readonly string[]): readonly Workload[] {
  const known = workloads.map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new RangeError(`no workload ${unknown.join(', ')}; there are ${known.join(', ')}`);
  }
  return workloads.filter(({ name }) => names.includes(name));
}
