import type { ReadOptions } from '../open-cluster.ts';
import type { AppearanceOptions } from '../terminal/appearance.ts';

export interface LogsOptions extends ReadOptions, AppearanceOptions {
  readonly follow?: boolean;
  readonly step?: string;
  readonly container?: string;
  readonly previous?: boolean;
  readonly timestamps?: boolean;
  /** Lines of each container. */
  readonly tail?: number;
  /** Seconds. */
  readonly since?: number;
  /** A regular expression; other lines are left out. */
  readonly grep?: RegExp;
}
