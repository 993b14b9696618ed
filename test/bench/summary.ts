/** The summary of measurements: one row for each workload and contender, over all repeats. */
import type { ContenderName } from './contenders.ts';
import { costExponent } from './growth.ts';
import { percentile } from './percentile.ts';
import type { Figures, Measurement } from './result.ts';
import type { Measure } from './workloads.ts';

export interface Column {
  readonly head: string;
  /** For a terminal. */
  readonly short: string;
  readonly digits: number;
  readonly measure: Measure;
  /** `limit`: steps per second of the null controller, if it ran this workload. */
  readonly value: (figures: Figures, limit: number) => number;
}

export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export interface Row {
  readonly workload: string;
  readonly says: string;
  readonly contender: ContenderName;
  /** One for each column; undefined if the workload does not measure it. */
  readonly cells: readonly (Spread | undefined)[];
  /** Why there are no figures. */
  readonly fault?: string;
}

/** It does the minimum of every controller, so the others are compared with it. */
const limitingContender: ContenderName = 'null, status at each wave';

export const columns: readonly Column[] = [
  {
    head: 'steps per second',
    short: 'steps/s',
    digits: 0,
    measure: 'speed',
    value: ({ stepsPerSecond }) => stepsPerSecond,
  },
  {
    head: 'of the null writer',
    short: '/writer',
    digits: 2,
    measure: 'speed',
    value: ({ stepsPerSecond, nullWriter: { before, after } }) =>
      (2 * stepsPerSecond) / (before.stepsPerSecond + after.stepsPerSecond),
  },
  {
    head: 'of the null controller',
    short: '/null',
    digits: 2,
    measure: 'speed',
    value: ({ stepsPerSecond }, limit) => stepsPerSecond / limit,
  },
  {
    head: 'advance p50, ms',
    short: 'p50 ms',
    digits: 1,
    measure: 'latency',
    value: ({ advance }) => advance.p50Ms,
  },
  {
    head: 'advance p99, ms',
    short: 'p99 ms',
    digits: 1,
    measure: 'latency',
    value: ({ advance }) => advance.p99Ms,
  },
  {
    head: 'applying, s',
    short: 'apply s',
    digits: 1,
    measure: 'speed',
    value: ({ applySeconds = Number.NaN }) => applySeconds,
  },
  {
    head: 'reviews per second',
    short: 'rev/s',
    digits: 0,
    measure: 'cost',
    value: ({ reviews }) => reviews?.perSecond ?? Number.NaN,
  },
  {
    head: 'review p50, ms',
    short: 'rev p50',
    digits: 1,
    measure: 'cost',
    value: ({ reviews }) => reviews?.p50Ms ?? Number.NaN,
  },
  {
    head: 'review p99, ms',
    short: 'rev p99',
    digits: 0,
    measure: 'cost',
    value: ({ reviews }) => reviews?.p99Ms ?? Number.NaN,
  },
  {
    head: 'own requests per step',
    short: 'req',
    digits: 2,
    measure: 'cost',
    value: ({ requestsPerStep }) => total(requestsPerStep),
  },
  {
    head: 'own CPU ms per step',
    short: 'own ms',
    digits: 1,
    measure: 'cost',
    value: ({ ownCpuMsPerStep }) => total(ownCpuMsPerStep),
  },
  ...['kube-apiserver', 'etcd', 'Redis'].map((server): Column => ({
    head: `${server} CPU ms per step`,
    short: server === 'kube-apiserver' ? 'api ms' : `${server.toLowerCase()} ms`,
    digits: 1,
    measure: 'cost',
    value: ({ serverCpuMsPerStep }) => serverCpuMsPerStep[server] ?? Number.NaN,
  })),
  {
    head: 'own KB sent per step',
    short: 'sent KB',
    digits: 1,
    measure: 'cost',
    value: ({ sentBytesPerStep }) => total(sentBytesPerStep) / 1000,
  },
  {
    head: 'etcd log KB per step',
    short: 'etcd KB',
    digits: 1,
    measure: 'cost',
    value: ({ etcdLogBytesPerStep }) => etcdLogBytesPerStep / 1000,
  },
  {
    head: 'own memory, MiB',
    short: 'MiB',
    digits: 0,
    measure: 'memory',
    value: ({ ownResidentMiB }) => total(ownResidentMiB),
  },
];

/** In the order of their first measurement. */
export function rowsOf(measurements: readonly Measurement[]): readonly Row[] {
  return [...grouped(measurements)].map(([, repeats]) => rowOf(repeats, measurements));
}

function rowOf(repeats: readonly Measurement[], all: readonly Measurement[]): Row {
  const { workload, says, contender, measures } = repeats[0]!;
  const figures = figuresOf(repeats);
  const limit = limitOf(all, workload);
  const [fault] = repeats.flatMap(({ ending }) => (ending.kind === 'ended' ? [] : [ending]));
  return {
    ...{ workload, says, contender },
    cells: columns.map(({ measure, value }) =>
      measures.includes(measure) ? spread(figures.map((each) => value(each, limit))) : undefined,
    ),
    ...(fault === undefined ? {} : { fault: `${fault.kind}: ${fault.reason}` }),
  };
}

export interface NullWriterSummary {
  readonly stepsPerSecond: Spread;
  readonly apiServerCpuMsPerStep: Spread;
}

/** The null writer over a whole run, which shows how steady the machine was. */
export function nullWriterOf(measurements: readonly Measurement[]): NullWriterSummary | undefined {
  const runs = figuresOf(measurements).flatMap(({ nullWriter }) => Object.values(nullWriter));
  const stepsPerSecond = spread(runs.map((run) => run.stepsPerSecond));
  const apiServerCpuMsPerStep = spread(runs.map((run) => run.apiServerCpuMsPerStep));
  if (stepsPerSecond === undefined || apiServerCpuMsPerStep === undefined) return undefined;
  return { stepsPerSecond, apiServerCpuMsPerStep };
}

export interface Growth {
  readonly series: string;
  readonly contender: ContenderName;
  readonly sizes: readonly number[];
  readonly time: number;
  readonly apiServerCpu: number;
}

/** The growth of time and CPU of the API server with the length of a flow, if it ran in two lengths. */
export function growthsOf(measurements: readonly Measurement[]): readonly Growth[] {
  const inSeries = measurements.filter(
    ({ series, figures }) => series !== undefined && figures !== undefined,
  );
  const groups = Map.groupBy(inSeries, ({ series = '', contender }) => `${series}, ${contender}`);
  return [...groups.values()].flatMap((group) => {
    const { series = '', contender } = group[0]!;
    const sizes = [...new Set(group.map(({ stepsPerFlow }) => stepsPerFlow))];
    if (sizes.length < 2) return [];
    const exponentOf = (costPerFlow: (figures: Figures, measurement: Measurement) => number) =>
      costExponent(
        group.flatMap((each) => {
          if (each.figures === undefined) return [];
          return [{ size: each.stepsPerFlow, cost: costPerFlow(each.figures, each) }];
        }),
      );
    const time = exponentOf(({ seconds }, { flows }) => seconds / flows);
    const apiServerCpu = exponentOf(
      ({ serverCpuMsPerStep }, { stepsPerFlow }) =>
        (serverCpuMsPerStep['kube-apiserver'] ?? Number.NaN) * stepsPerFlow,
    );
    return [{ series, contender, sizes, time, apiServerCpu }];
  });
}

function grouped(measurements: readonly Measurement[]) {
  return Map.groupBy(measurements, ({ workload, contender }) => `${workload}, ${contender}`);
}

function limitOf(measurements: readonly Measurement[], workload: string): number {
  const limits = measurements.filter(
    (each) => each.workload === workload && each.contender === limitingContender,
  );
  return spread(figuresOf(limits).map(({ stepsPerSecond }) => stepsPerSecond))?.median ?? NaN;
}

function figuresOf(measurements: readonly Measurement[]): readonly Figures[] {
  return measurements.flatMap(({ figures }) => (figures === undefined ? [] : [figures]));
}

/** Undefined if no value is a number. */
function spread(values: readonly number[]): Spread | undefined {
  const known = values.filter((value) => !Number.isNaN(value));
  if (known.length === 0) return undefined;
  const [median, least, most] = [percentile(known, 0.5), Math.min(...known), Math.max(...known)];
  return { median, least, most };
}

function total(parts: Readonly<Record<string, number>>): number {
  return Object.values(parts).reduce((sum, part) => sum + part, 0);
}
