/** What suspend-schedule decides on: everything it may know, as plain JSON, so that a record replays it. */
import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';
import type { PlacedPod } from '#shared/api/work/placed-pod.ts';
import type { Resource, Uid } from '#shared/domain/objects.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Schedule } from '#shared/schedule/schedule.ts';
import type { GovernedObject } from '#shared/suspension/governed-object.ts';

/** Another policy that selects some of the same objects. */
export interface Rival {
  /** `SuspendPolicy/team-a/nights`. */
  readonly key: string;
  readonly uid: Uid;
  readonly precedence: number;
  readonly schedule?: Schedule;
  readonly hasCapacity: boolean;
}

/** What Kueue runs: `suspend`, version, generation, mark and note are of its Workload. */
export interface HeldByWorkload {
  readonly workload?: { readonly name: string; readonly uid: Uid };
  /** The note for people that stands on the object itself. */
  readonly told?: string;
  /** Kueue has not admitted it, so that nothing of it has to finish. */
  readonly waits?: true;
}

/** An object that the policy selects, or still holds, and that has not ended. */
export interface SelectedObject extends Omit<GovernedObject, 'labels'>, HeldByWorkload {
  readonly priority: number;
  /** Why the label that is to hold the priority cannot be read. */
  readonly priorityFault?: string;
  /** With whom it shares the room, where the policy groups by something. */
  readonly group?: string;
  /** Of all Pods that run at once, by resource; a Job only. */
  readonly requests?: Readonly<Record<string, number>>;
  /** Where its Pods may run; of a Job that the policy places, or has placed. */
  readonly pod?: PlacedPod;
  /** It is held by the policy, which selects it no more: somebody edited the one or the other. */
  readonly isSelected?: false;
  /** The policy has let it in, and what is seen of it is of the time before: it takes its room already. */
  readonly isStarting?: true;
  /** Positions of those rivals that select it as well. */
  readonly rivals?: readonly number[];
}

export interface SuspendSnapshot {
  readonly policy: SuspendPolicy;
  /** By their keys. */
  readonly rivals: readonly Rival[];
  /** In the order of kind, namespace and name. */
  readonly objects: readonly SelectedObject[];
  /** What the API server refused when the decision on this same snapshot was carried out. */
  readonly rejections: readonly Rejection[];
}

/** What a decision about the object writes on, by its uid. */
export function writtenUid({ uid, workload }: Pick<SelectedObject, 'uid' | 'workload'>): Uid {
  return workload?.uid ?? uid;
}

export function policyResourceOf({ kind }: Pick<SuspendPolicy, 'kind'>): Resource {
  return kind === resources.ClusterSuspendPolicy.kind
    ? resources.ClusterSuspendPolicy
    : resources.SuspendPolicy;
}

export function withRejections(
  snapshot: SuspendSnapshot,
  rejections: readonly Rejection[],
): SuspendSnapshot {
  return { ...snapshot, rejections: [...snapshot.rejections, ...rejections] };
}
