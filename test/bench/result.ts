/** The JSON of a benchmark run. The page of figures is made from it alone. */
import type { ContenderName } from './contenders.ts';
import type { DaemonMeasurement } from './daemons/daemon-result.ts';
import type { Ending } from './flow-run.ts';
import type { NullWriterRun } from './null-writer.ts';
import type { ReviewFigures } from './reviews.ts';
import type { Measure } from './workloads.ts';

/** Files of other formats are refused. */
export const resultFormat = 1;

export interface BenchResult {
  readonly format: typeof resultFormat;
  readonly startedAt: string;
  readonly command: string;
  readonly machine: Machine;
  /** The settings of Node and of its memory for Millrace's processes. Absent: none. */
  readonly settings?: string;
  readonly measurements: readonly Measurement[];
  /** Absent: no DaemonJob was measured. */
  readonly daemons?: DaemonRun;
  /** Absent: not measured. */
  readonly costs?: CostRun;
  /** Absent: not measured. */
  readonly neighbours?: NeighbourRun;
  /** Absent: not measured. */
  readonly journal?: JournalRun;
}

/** The cost of the journal, and the speed of replay. */
export interface JournalRun {
  readonly startedAt: string;
  readonly command: string;
  readonly machine: Machine;
  readonly costs: readonly JournalCost[];
  readonly replays: readonly ReplayRate[];
  readonly event: { readonly redisBytes: number; readonly redisCpuMs: number };
}

/** For flows of this many steps. All values but `steps` are averages per step. */
export interface JournalCost {
  readonly steps: number;
  readonly records: number;
  /** CPU of the process without and with a journal: reading, deciding and applying. */
  readonly cpuMsWithout: number;
  readonly cpuMsWith: number;
  readonly redisCpuMs: number;
  readonly redisBytes: number;
  /** Size of all snapshots and decisions as text. */
  readonly fullBytes: number;
}

export interface ReplayRate {
  readonly name: string;
  readonly decisionsPerCpuSecond: number;
  /** Share of that time in the functions' own decide, 0 to 1. */
  readonly decideShare: number;
}

/** The pace of the flows of one namespace, without and beside the costliest objects of another. */
export interface NeighbourRun {
  readonly startedAt: string;
  readonly command: string;
  readonly machine: Machine;
  /** The first row is without them. */
  readonly rows: readonly NeighbourRow[];
}

export interface NeighbourRow {
  readonly name: string;
  readonly samples: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Jobs created in the other namespace during the phase. */
  readonly beside: number;
}

/**
 * The largest cost of one decision and one review, without servers. Published beside flows of another run.
 */
export interface CostRun {
  readonly startedAt: string;
  readonly command: string;
  readonly machine: Machine;
  readonly rows: readonly CostRow[];
}

export interface CostRow {
  readonly name: string;
  /** Milliseconds of CPU, the median of several runs. */
  readonly worstMs: number;
  readonly plainMs: number;
}

/** Measurements of DaemonJobs. Published beside flows of another run. */
export interface DaemonRun {
  readonly startedAt: string;
  readonly command: string;
  readonly machine: Machine;
  readonly measurements: readonly DaemonMeasurement[];
}

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
  readonly kubernetes: string;
  readonly etcd: string;
  readonly millrace: string;
}

export interface Measurement {
  readonly workload: string;
  readonly says: string;
  readonly measures: readonly Measure[];
  readonly series?: string;
  readonly contender: ContenderName;
  readonly stepsPerFlow: number;
  readonly flows: number;
  readonly ending: Ending;
  /** Only for a workload that ended. */
  readonly figures?: Figures;
}

export interface Figures {
  readonly seconds: number;
  readonly stepsPerSecond: number;
  /** Until the last flow was created. Absent: each flow waited for the one before. */
  readonly applySeconds?: number;
  /** Absent: without webhooks. */
  readonly reviews?: ReviewFigures;
  /** On the same servers, directly before and after. */
  readonly nullWriter: { readonly before: NullWriterRun; readonly after: NullWriterRun };
  /** From the commit of the last dependency's end to the commit of the Job. Milliseconds. */
  readonly advance: { readonly samples: number; readonly p50Ms: number; readonly p99Ms: number };
  /** The controller's requests by kind, per step. */
  readonly requestsPerStep: Readonly<Record<string, number>>;
  /** By process. */
  readonly ownCpuMsPerStep: Readonly<Record<string, number>>;
  readonly serverCpuMsPerStep: Readonly<Record<string, number>>;
  /** Bodies of the controller's write requests by kind, per step. */
  readonly sentBytesPerStep: Readonly<Record<string, number>>;
  /** Total of all writers. */
  readonly etcdLogBytesPerStep: number;
  /** By process, at the end. */
  readonly ownResidentMiB: Readonly<Record<string, number>>;
  readonly serverResidentMiB: Readonly<Record<string, number>>;
}

/** The published result after a run: its figures, with those of the run before for missing ones. */
export function mergedWith(run: BenchResult, before: BenchResult | undefined): BenchResult {
  const flows = run.measurements.length > 0 ? run : (before ?? run);
  const daemons = run.daemons ?? before?.daemons;
  const costs = run.costs ?? before?.costs;
  const neighbours = run.neighbours ?? before?.neighbours;
  const journal = run.journal ?? before?.journal;
  return {
    ...flows,
    ...(daemons === undefined ? {} : { daemons }),
    ...(costs === undefined ? {} : { costs }),
    ...(neighbours === undefined ? {} : { neighbours }),
    ...(journal === undefined ? {} : { journal }),
  };
}

/** Throws if the text is not a result of this format. */
export function parseResult(text: string): BenchResult {
  const result = JSON.parse(text) as BenchResult;
  if ((result.format as number) !== resultFormat) {
    throw new Error(`format ${String(result.format)} of the result is not ${resultFormat}`);
  }
  return result;
}
