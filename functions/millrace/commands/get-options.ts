import type { ReadOptions } from '../open-cluster.ts';
import type { AppearanceOptions } from '../terminal/appearance.ts';

export interface WatchOptions extends ReadOptions, AppearanceOptions {
  /** Seconds. Absent: without limit. */
  readonly timeout?: number;
}

export interface GetOptions extends WatchOptions {
  readonly output: 'tree' | 'wide' | 'json' | 'yaml' | 'name' | `jsonpath=${string}`;
  readonly watch?: boolean;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  /** Only objects in one of these states. Case does not matter. */
  readonly status?: readonly string[];
  /** The object whose Jobs and Pods are listed. */
  readonly for?: string;
}
