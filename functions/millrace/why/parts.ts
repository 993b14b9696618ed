import type { KubeObject } from '#shared/domain/objects.ts';
import type { Cause, Named } from './explanation.ts';
import type { Surroundings } from './surroundings.ts';

/** What the status says of one part. */
export interface PartEntry {
  readonly name: string;
  readonly reason?: string;
}

/** The steps of a flow, the nodes of a DaemonJob. */
export interface PartsOf {
  /** Undefined: the object does not list them. */
  readonly names: (object: KubeObject) => readonly string[] | undefined;
  readonly entries: (object: KubeObject) => readonly PartEntry[];
  /** Those that failed. They are reported, but the rest of the object may continue. */
  readonly failed: (object: KubeObject) => readonly string[];
  /** Empty: the part runs or has succeeded. */
  readonly explainPart: (
    object: KubeObject,
    named: Named,
    around: Surroundings,
  ) => Promise<readonly Cause[]>;
  /** Causes of the parts that do not continue. */
  readonly causes: (
    object: KubeObject,
    named: Named,
    around: Surroundings,
  ) => Promise<readonly Cause[]>;
}
