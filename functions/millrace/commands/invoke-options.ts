import type { ReadOptions } from '../open-cluster.ts';

export interface InvokeOptions extends ReadOptions {
  /** A file with one CloudEvent in the JSON event format; `-` is standard input. */
  readonly event?: string;
  /** Where the function listens. Absent: in the `millrace up` of the cluster. */
  readonly url?: URL;
  readonly keyFile?: string;
  readonly dryRun?: boolean;
  /** Seconds to wait for the answer. */
  readonly timeout: number;
  readonly output?: 'text' | 'json';
}
