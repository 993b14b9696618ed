import type { PodPolicy } from '#shared/policy/pod-policy.ts';
import type { ObjectOutputOptions } from '../object-printer.ts';
import type { ReadOptions } from '../open-cluster.ts';

interface ChangeOptions extends ReadOptions, ObjectOutputOptions {
  readonly dryRun?: boolean;
}

export interface ApplyOptions extends ChangeOptions {
  readonly filename: readonly string[];
  readonly errorUnchanged?: boolean;
  readonly forceConflicts?: boolean;
  readonly policy?: PodPolicy;
}

export interface DeleteOptions extends ChangeOptions {
  /** Absent: names choose the objects. */
  readonly filename?: readonly string[];
  readonly ignoreNotFound?: boolean;
  readonly wait: boolean;
  /** Seconds to wait until all objects are gone. */
  readonly timeout: number;
}
