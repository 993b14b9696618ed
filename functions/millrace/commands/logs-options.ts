import type { ReadOptions } from '../open-cluster.ts';
import type { AppearanceOptions } from '../terminal/appearance.ts';

export interface LogsOptions extends ReadOptions, AppearanceOptions {
  readonly follow?: boolean;
  readonly step?: string;
  readonly container?: string;
  readonly previous?: boolean;
  readonly timestamps?: boolean;
  /** Number of lines of each container. */
  readonly tail?: number;
  /** Seconds. */
  readonly since?: number;
  /** Only lines that match are printed. */
  readonly grep?: RegExp;
}
