import type { KubeObject } from '#shared/domain/objects.ts';
import type { Cause, Named } from './explanation.ts';
import type { Surroundings } from './surroundings.ts';

/** The steps of a flow, the nodes of a DaemonJob. */
export interface PartsOf {
  /** Undefined: they are not in the object. */
  readonly names: (object: KubeObject) => readonly string[] | undefined;
  /** Empty: the part runs or has succeeded. */
  readonly explainPart: (
    object: KubeObject,
    named: Named,
    around: Surroundings,
  ) => Promise<readonly Cause[]>;
  /** Of the parts that do not go on. */
  readonly causes: (
    object: KubeObject,
    named: Named,
    around: Surroundings,
  ) => Promise<readonly Cause[]>;
}
