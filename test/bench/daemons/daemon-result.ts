/** The measurements of a DaemonJob, as in the JSON of a run. */
import type { ContenderName } from '../contenders.ts';

/** The null writer creates the Jobs and does not watch them. */
export type DaemonContenderName = 'null writer' | Extract<ContenderName, 'together' | 'apart'>;

export interface DaemonMeasurement {
  readonly workload: string;
  readonly says: string;
  readonly contender: DaemonContenderName;
  readonly nodes: number;
  /** Why there are no figures. */
  readonly fault?: string;
  readonly figures?: DaemonFigures;
}

export interface DaemonFigures {
  /** From the commit of the DaemonJob to the commit of the last Job, by the audit log. */
  readonly secondsToLastJob: number;
  /** To the commit of the last Job's end. */
  readonly secondsToLastEnd: number;
  /** To the commit of the status with the success. The null writer has none. */
  readonly secondsToSucceed?: number;
  /** The controller's requests by kind, per node. */
  readonly requestsPerNode: Readonly<Record<string, number>>;
  /** By process. */
  readonly ownCpuMsPerNode: Readonly<Record<string, number>>;
  readonly serverCpuMsPerNode: Readonly<Record<string, number>>;
  readonly ownResidentMiB: Readonly<Record<string, number>>;
  /** Bytes as JSON. */
  readonly status?: {
    readonly atEnd: number;
    readonly most: number;
    /** Total of all status patches. */
    readonly sent: number;
  };
}
