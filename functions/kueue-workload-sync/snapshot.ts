/** Everything that kueue-workload-sync may know when it decides, as plain JSON, so that a record can be replayed. */
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
  /** Absent: the job is gone, and its Workloads are left. */
  readonly job?: KubeObject;
  /** True: the cluster does not serve Workloads. */
  readonly lacksKueue?: true;
  /** The owner that it is admitted with. Then it has no Workload of its own. */
  readonly ancestor?: Ancestor;
  /** Name of the Workload to create (workload-name.ts), or the one that MultiKueue names. */
  readonly workloadName: string;
  /** MultiKueue copied the object and its Workload from another cluster. Absent: it was submitted here. */
  readonly isDispatched?: true;
  /** Workloads that the object controls, the oldest first. */
  readonly workloads: readonly KubeObject[];
  /** Objects that its podSets are made from. */
  readonly needed: Needed;
  /** By name. Null: there is none of this name. Only flavors that an admission assigns and that are needed now. */
  readonly flavors: Readonly<Record<string, Flavor | null>>;
  /** Only if a Workload may be created or updated. */
  readonly priority?: Priority;
  /** Suspended Jobs of an earlier admission. Read only if the object is about to start again. */
  readonly suspendedJobs?: readonly SuspendedJob[];
  /** Unfinished Jobs of an object that is gone or being deleted. Absent: it exists, or has none. */
  readonly jobsLeft?: number;
  /** Writes that the API server refused when the decision on this snapshot was applied. */
  readonly rejections: readonly Rejection[];
  /** Kueue measures the time until Pods are ready (waitForPodsReady). Absent: readiness is not urgent. */
  readonly awaitsReadiness?: true;
  /** Kueue's feature gate TopologyAwareScheduling is off. */
  readonly ignoresTopology?: true;
  /** A job that Kueue deactivated stays for this time, milliseconds. Absent: until a user deletes it. */
  readonly keepsDeactivatedMs?: number;
}

/** `managed`: the outermost owner that Kueue manages. `endless`: a cycle, or a longer chain than Kueue follows. */
export type Ancestor =
  | {
      readonly kind: 'managed';
      /** For example `JobSet training`. */
      readonly owner: string;
      /** Absent: it was not read, because nothing that it owns has to be stopped. */
      readonly isAdmitted?: boolean;
    }
  | { readonly kind: 'endless' };

export interface SuspendedJob {
  readonly name: string;
  readonly uid: Uid;
  readonly resourceVersion: ResourceVersion;
  /** Name of its podSet. Absent: it has none. */
  readonly podSet?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Json[];
  /** The requests of its template itself. */
  readonly own: {
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly tolerations?: readonly Json[];
  };
}

export interface Flavor {
  readonly nodeLabels?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Json[];
}

/** The priority of a Workload, or the name of a missing class. */
export type Priority =
  | { readonly kind: 'known'; readonly value: number; readonly classRef?: JsonObject }
  | { readonly kind: 'missing'; readonly className: string };
