import type { ReadOptions } from '../open-cluster.ts';
import type { AppearanceOptions } from '../terminal/appearance.ts';

export interface WatchOptions extends ReadOptions, AppearanceOptions {
  /** Seconds; for ever when absent. */
  readonly timeout?: number;
}

export interface GetOptions extends WatchOptions {
  readonly output: 'tree' | 'wide' | 'json' | 'yaml' | 'name';
  readonly watch?: boolean;
  readonly allNamespaces?: boolean;
}
