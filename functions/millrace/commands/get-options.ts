import type { ReadOptions } from '../open-cluster.ts';
import type { AppearanceOptions } from '../terminal/appearance.ts';

export interface WatchOptions extends ReadOptions, AppearanceOptions {
  /** Seconds; for ever when absent. */
  readonly timeout?: number;
}

export interface GetOptions extends WatchOptions {
  readonly output: 'tree' | 'wide' | 'json' | 'yaml' | 'name' | `jsonpath=${string}`;
  readonly watch?: boolean;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  /** Only what has one of these states, in any case. */
  readonly status?: readonly string[];
  /** The object whose Jobs and Pods are meant. */
  readonly for?: string;
}
