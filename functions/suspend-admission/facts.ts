/** What is decided on, besides the review: plain JSON, so that a record tells all of it. */
import type { SuspendPolicySpec } from '#shared/api/suspend-policy.ts';
import type { Uid } from '#shared/domain/objects.ts';
import type { ScheduleState } from '#shared/schedule/schedule.ts';

export interface Facts {
  readonly queue: QueueFacts;
  /** Policies that are followed, select the object and are known to be open or closed, in no particular order. */
  readonly policies: readonly SelectingPolicy[];
}

export interface SelectingPolicy {
  /** `SuspendPolicy/team-a/nights`. */
  readonly key: string;
  readonly uid: Uid;
  readonly precedence: number;
  readonly adopt: NonNullable<SuspendPolicySpec['adopt']>;
  /** As it was noted when the policy was seen. */
  readonly opening: ScheduleState;
  readonly hasCapacity: boolean;
  readonly forbidsOverrides?: true;
  /** There is room for this object as well, as far as anybody knows; always without a capacity. */
  readonly hasRoom: boolean;
  /** When the last one was let in under the capacity that may not be stored yet, milliseconds since the epoch. */
  readonly letInMs?: number;
}

/** What Kueue would know. */
export interface QueueFacts {
  /** Its kind is one that Kueue manages, in a namespace that Kueue manages. */
  readonly isManaged: boolean;
  readonly managesUnlabelled: boolean;
  /** It names no queue, and its namespace has a LocalQueue for what names none. */
  readonly takesDefaultQueue?: true;
  /** Kueue's kinds among the owners, the direct one first; only where they matter. */
  readonly owners: readonly Owner[];
  /** The owners are a circle, or more than Kueue follows. */
  readonly isEndless: boolean;
}

export interface Owner {
  /** `JobFlow.v1alpha1.api.practice.com`. */
  readonly kind: string;
  readonly name: string;
  readonly queue?: string;
}
