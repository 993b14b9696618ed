import type { ReadOptions } from '../open-cluster.ts';

export interface InvokeOptions extends ReadOptions {
  /** A file with one CloudEvent in the JSON event format; `-` is standard input. */
  readonly event?: string;
  /** The address of the function. Absent: that of the cluster's `millrace up`. */
  readonly url?: URL;
  readonly keyFile?: string;
  readonly dryRun?: boolean;
  /** Seconds to wait for the answer. */
  readonly timeout: number;
  readonly output?: 'text' | 'json';
}
