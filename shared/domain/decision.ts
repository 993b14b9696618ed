import type { Json, ObjectName, Resource, ResourceVersion, Uid } from './objects.ts';
import type { Plan } from './plan.ts';

/** Why something was or was not done, as data. Conditions, Events, `why` and the dashboard derive from it. */
export interface Reason {
  /** CamelCase, as in a condition's reason. */
  readonly code: string;
  readonly message: string;
  readonly fields?: { readonly [name: string]: Json };
}

export interface Decision {
  readonly plan: Plan;
  readonly reasons: readonly Reason[];
  /** Decide again at this time, in milliseconds since the epoch, even if no event arrives. */
  readonly requeueAtMs?: number;
  /**
   * Other objects that the decision depends on. No irreversible write is made once one of them has changed. Checking
   * each costs a request if the plan has such a write. Absent: none.
   */
  readonly restsOn?: readonly Ground[];
}

/** An object at the version that was read. */
export interface Ground {
  readonly resource: Resource;
  readonly target: ObjectName;
  readonly uid: Uid;
  readonly resourceVersion: ResourceVersion;
}

/** Everything that a decision may depend on besides its snapshot. */
export interface DecisionInput {
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /**
   * Many decisions are running in the process. Writes that may wait should wait, so that several changes become one
   * write. Absent: false.
   */
  readonly isUnderLoad?: boolean | undefined;
}

export type Decide<Snapshot> = (snapshot: Snapshot, input: DecisionInput) => Decision;
