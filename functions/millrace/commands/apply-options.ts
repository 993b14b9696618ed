import type { PodPolicy } from '#shared/policy/pod-policy.ts';
import type { ObjectOutputOptions } from '../object-printer.ts';
import type { ReadOptions } from '../open-cluster.ts';

interface FileOptions extends ReadOptions, ObjectOutputOptions {
  readonly filename: readonly string[];
  readonly dryRun?: boolean;
}

export interface ApplyOptions extends FileOptions {
  readonly errorUnchanged?: boolean;
  readonly forceConflicts?: boolean;
  readonly policy?: PodPolicy;
}

export interface DeleteOptions extends FileOptions {
  readonly ignoreNotFound?: boolean;
  readonly wait: boolean;
  /** Seconds to wait until all objects are gone. */
  readonly timeout: number;
}
