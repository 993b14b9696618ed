import type { ObjectOutputOptions } from '../object-printer.ts';
import type { ReadOptions } from '../open-cluster.ts';

export interface WishOptions extends ReadOptions, ObjectOutputOptions {
  readonly dryRun?: boolean;
}

export interface RetryOptions extends WishOptions {
  readonly step?: readonly string[];
  /** Seconds to wait until Millrace has handled it. */
  readonly timeout: number;
}

export interface CancelOptions extends WishOptions {
  readonly graceful?: boolean;
}

export interface SuspendOptions extends WishOptions {
  /** RFC 3339, or a length of time from now. */
  readonly until?: string;
}
