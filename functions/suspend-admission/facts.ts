/** The facts that a decision needs besides the review, as plain JSON, so that a record contains everything. */
import type { SuspendPolicySpec } from '#shared/api/suspend-policy.ts';
import type { Uid } from '#shared/domain/objects.ts';
import type { ScheduleState } from '#shared/schedule/schedule.ts';

export interface Facts {
  readonly queue: QueueFacts;
  /** Policies that are followed, select the object and are known to be open or closed, in no particular order. */
  readonly policies: readonly SelectingPolicy[];
}

export interface SelectingPolicy {
  /** For example `SuspendPolicy/team-a/nights`. */
  readonly key: string;
  readonly uid: Uid;
  readonly precedence: number;
  readonly adopt: NonNullable<SuspendPolicySpec['adopt']>;
  /** As noted when the policy was seen. */
  readonly opening: ScheduleState;
  readonly hasCapacity: boolean;
  readonly forbidsOverrides?: true;
  /** There is capacity for this object, as far as is known. Always true without a limit. */
  readonly hasRoom: boolean;
  /** When the last object was let in that may not be stored yet, milliseconds since the epoch. */
  readonly letInMs?: number;
}

/** The object as Kueue would see it. */
export interface QueueFacts {
  /** Kueue manages both its kind and its namespace. */
  readonly isManaged: boolean;
  readonly managesUnlabelled: boolean;
  /** It names no queue, and its namespace has a default LocalQueue. */
  readonly takesDefaultQueue?: true;
  /** Owners of kinds that Kueue manages, the direct one first. Only if they matter. */
  readonly owners: readonly Owner[];
  /** The owners form a cycle, or a longer chain than Kueue follows. */
  readonly isEndless: boolean;
}

export interface Owner {
  /** For example `JobFlow.v1alpha1.api.practice.com`. */
  readonly kind: string;
  readonly name: string;
  readonly queue?: string;
}
