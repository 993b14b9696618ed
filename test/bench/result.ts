/** What a run of the benchmark leaves behind as JSON. The page of figures is derived from it alone. */
import type { ContenderName } from './contenders.ts';
import type { DaemonMeasurement } from './daemons/daemon-result.ts';
import type { Ending } from './flow-run.ts';
import type { NullWriterRun } from './null-writer.ts';
import type { ReviewFigures } from './reviews.ts';
import type { Measure } from './workloads.ts';

/** A file of another format is not read. */
export const resultFormat = 1;

export interface BenchResult {
  readonly format: typeof resultFormat;
  readonly startedAt: string;
  readonly command: string;
  readonly machine: Machine;
  /** With which the processes of Millrace were started: of Node, and of its memory. Absent: none. */
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

/** What the journal costs, and how fast its decisions are made again. */
export interface JournalRun {
  readonly startedAt: string;
  readonly command: string;
  readonly machine: Machine;
  readonly costs: readonly JournalCost[];
  readonly replays: readonly ReplayRate[];
  readonly event: { readonly redisBytes: number; readonly redisCpuMs: number };
}

/** Of flows of so many steps; all but `steps` for one step, on average. */
export interface JournalCost {
  readonly steps: number;
  readonly records: number;
  /** Of the process: reading, deciding and applying, without a journal and with one. */
  readonly cpuMsWithout: number;
  readonly cpuMsWith: number;
  readonly redisCpuMs: number;
  readonly redisBytes: number;
  /** Of all that was seen and decided, as text. */
  readonly fullBytes: number;
}

export interface ReplayRate {
  readonly name: string;
  readonly decisionsPerCpuSecond: number;
  /** Of that time in the functions' own decide, 0 to 1. */
  readonly decideShare: number;
}

/** How the flows of one namespace advance, without and beside the costliest objects of another. */
export interface NeighbourRun {
  readonly startedAt: string;
  readonly command: string;
  readonly machine: Machine;
  /** The first is without them. */
  readonly rows: readonly NeighbourRow[];
}

export interface NeighbourRow {
  readonly name: string;
  readonly samples: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Jobs of the other namespace that were created meanwhile. */
  readonly beside: number;
}

/** What one decision and one review cost at most, without servers; published beside flows of another run. */
export interface CostRun {
  readonly startedAt: string;
  readonly command: string;
  readonly machine: Machine;
  readonly rows: readonly CostRow[];
}

export interface CostRow {
  readonly name: string;
  /** Milliseconds of CPU, the median of some runs. */
  readonly worstMs: number;
  readonly plainMs: number;
}

/** Measurements of DaemonJobs, which are published beside flows of another run. */
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
  /** Only of a workload that ended. */
  readonly figures?: Figures;
}

export interface Figures {
  readonly seconds: number;
  readonly stepsPerSecond: number;
  /** Until the last flow was created. Absent: each waited for the one before. */
  readonly applySeconds?: number;
  /** Absent: without webhooks. */
  readonly reviews?: ReviewFigures;
  /** On the same servers, right before and right after. */
  readonly nullWriter: { readonly before: NullWriterRun; readonly after: NullWriterRun };
  /** From the commit of the last dependency's end to the commit of the Job. Milliseconds. */
  readonly advance: { readonly samples: number; readonly p50Ms: number; readonly p99Ms: number };
  /** Of the controller, by kind; per step. */
  readonly requestsPerStep: Readonly<Record<string, number>>;
  /** By process. */
  readonly ownCpuMsPerStep: Readonly<Record<string, number>>;
  readonly serverCpuMsPerStep: Readonly<Record<string, number>>;
  /** Bodies of the controller's write requests, by kind; per step. */
  readonly sentBytesPerStep: Readonly<Record<string, number>>;
  /** Of all writers. */
  readonly etcdLogBytesPerStep: number;
  /** By process, at the end. */
  readonly ownResidentMiB: Readonly<Record<string, number>>;
  readonly serverResidentMiB: Readonly<Record<string, number>>;
}

/** What is told after a run: its own figures, and those of the run before where it has none. */
export function toldAfter(run: BenchResult, before: BenchResult | undefined): BenchResult {
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

/** Throws when the text is no result of this format. */
export function parseResult(text: string): BenchResult {
  const result = JSON.parse(text) as BenchResult;
  if ((result.format as number) !== resultFormat) {
    throw new Error(`format ${String(result.format)} of the result is not ${resultFormat}`);
  }
  return result;
}
