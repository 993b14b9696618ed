/** Everything that suspend-schedule may know when it decides, as plain JSON, so that a record can be replayed. */
import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';
import type { PlacedPod } from '#shared/api/work/placed-pod.ts';
import type { Resource, Uid } from '#shared/domain/objects.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Schedule } from '#shared/schedule/schedule.ts';
import type { GovernedObject } from '#shared/suspension/governed-object.ts';

/** Another policy that selects some of the same objects. */
export interface Rival {
  /** For example `SuspendPolicy/team-a/nights`. */
  readonly key: string;
  readonly uid: Uid;
  readonly precedence: number;
  readonly schedule?: Schedule;
  readonly hasCapacity: boolean;
}

/** For objects that Kueue runs: `suspend`, version, generation, mark and note are those of the Workload. */
export interface HeldByWorkload {
  readonly workload?: { readonly name: string; readonly uid: Uid };
  /** The note for people on the object itself. */
  readonly told?: string;
  /** Kueue has not admitted it, so nothing of it has to finish. */
  readonly waits?: true;
}

/** An object that the policy selects, or still holds, and that has not ended. */
export interface SelectedObject extends Omit<GovernedObject, 'labels'>, HeldByWorkload {
  readonly priority: number;
  /** Why the value of the priority label cannot be read. */
  readonly priorityFault?: string;
  /** The group that it shares capacity with, if the policy has `groupBy`. */
  readonly group?: string;
  /** Requests of all Pods that run at once, by resource. Jobs only. */
  readonly requests?: Readonly<Record<string, number>>;
  /** Where its Pods may run. Only for a Job that the policy places or has placed. */
  readonly pod?: PlacedPod;
  /** The policy holds it but no longer selects it, because either was edited. */
  readonly isSelected?: false;
  /** The policy has resumed it, but the view shows the time before. It takes capacity already. */
  readonly isStarting?: true;
  /** Positions of the rivals that select it as well. */
  readonly rivals?: readonly number[];
}

export interface SuspendSnapshot {
  readonly policy: SuspendPolicy;
  /** Sorted by key. */
  readonly rivals: readonly Rival[];
  /** Sorted by kind, namespace and name. */
  readonly objects: readonly SelectedObject[];
  /** Writes that the API server refused when the decision on this snapshot was applied. */
  readonly rejections: readonly Rejection[];
}

/** The uid of the object that the policy writes on: the Workload, if there is one. */
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
