import type { Json, ObjectName, Resource, ResourceVersion, Uid } from './objects.ts';
import type { Plan } from './plan.ts';

/** Why something was or was not done, as data: condition, Event, `why` and dashboard derive from it. */
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
   * Objects beside the one that is decided about which this rests on. Nothing that cannot be undone is done once one of
   * them is not as it was read. Each costs a request where there is such a thing in the plan. Absent: none.
   */
  readonly restsOn?: readonly Ground[];
}

/** An object as it was read. */
export interface Ground {
  readonly resource: Resource;
  readonly target: ObjectName;
  readonly uid: Uid;
  readonly resourceVersion: ResourceVersion;
}

/** Everything a decision may depend on besides its snapshot. */
export interface DecisionInput {
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /**
   * Many decisions are under way in the process: what may wait should wait, so that several news are one
   * write. Absent: no.
   */
  readonly isUnderLoad?: boolean | undefined;
}

export type Decide<Snapshot> = (snapshot: Snapshot, input: DecisionInput) => Decision;
