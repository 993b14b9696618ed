/** What kueue-workload-sync decides on: everything it may know, as plain JSON, so that a record replays it. */
import type { Needed } from '#shared/api/work/queueing/queueing.ts';
import type {
  Json,
  JsonObject,
  KubeObject,
  ObjectKey,
  ResourceVersion,
  Uid,
} from '#shared/domain/objects.ts';
import type { Rejection } from '#shared/domain/rejection.ts';

export interface QueueSnapshot {
  readonly key: ObjectKey;
  /** Absent: it is gone, and its Workloads are left. */
  readonly job?: KubeObject;
  /** Absent: Kueue serves Workloads. */
  readonly lacksKueue?: true;
  /** With whose Workload it is admitted: it has none of its own. */
  readonly ancestor?: Ancestor;
  /** Of the Workload that is made (workload-name.ts), or that MultiKueue names. */
  readonly workloadName: string;
  /** MultiKueue has copied the object and its Workload from another cluster. Absent: it was submitted here. */
  readonly isDispatched?: true;
  /** Those that the object controls, the oldest first. */
  readonly workloads: readonly KubeObject[];
  /** Objects that its podSets are made from. */
  readonly needed: Needed;
  /** By name; null: there is none of this name. Only those that an admission assigns and that are needed now. */
  readonly flavors: Readonly<Record<string, Flavor | null>>;
  /** Only where a Workload may be made or kept in step with it. */
  readonly priority?: Priority;
  /** Those of an earlier admission that are suspended; read only where the object is to start again. */
  readonly suspendedJobs?: readonly SuspendedJob[];
  /** Jobs of an object that is gone, or being deleted, that have not ended. Absent: it is there, or has none. */
  readonly jobsLeft?: number;
  /** What the API server refused when the decision on this same snapshot was carried out. */
  readonly rejections: readonly Rejection[];
  /** Kueue counts the time until Pods are ready (waitForPodsReady). Absent: nobody waits for that word. */
  readonly awaitsReadiness?: true;
  /** Kueue's feature gate TopologyAwareScheduling is off. */
  readonly ignoresTopology?: true;
  /** How long what Kueue has deactivated stays, milliseconds. Absent: until somebody deletes it. */
  readonly keepsDeactivatedMs?: number;
}

/** `managed`: the outermost owner that Kueue manages. `endless`: a circle of owners, or more than Kueue follows. */
export type Ancestor =
  | {
      readonly kind: 'managed';
      /** `JobSet training`. */
      readonly owner: string;
      /** Absent: nothing of what it owns is to be stopped, so that nobody asked. */
      readonly isAdmitted?: boolean;
    }
  | { readonly kind: 'endless' };

export interface SuspendedJob {
  readonly name: string;
  readonly uid: Uid;
  readonly resourceVersion: ResourceVersion;
  /** Name of its podSet; absent: it has none. */
  readonly podSet?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Json[];
  /** What its template itself asks for. */
  readonly own: {
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly tolerations?: readonly Json[];
  };
}

export interface Flavor {
  readonly nodeLabels?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Json[];
}

/** As a Workload has it; a missing class is given by its name. */
export type Priority =
  | { readonly kind: 'known'; readonly value: number; readonly classRef?: JsonObject }
  | { readonly kind: 'missing'; readonly className: string };
