/** A Workload (kueue.x-k8s.io/v1beta2), with the fields that the integration reads and writes. */
import type { PodSet } from '#shared/api/work/queueing/queueing.ts';
import type { Condition } from '#shared/domain/conditions.ts';
import type {
  Json,
  JsonObject,
  KubeObject,
  ObjectKey,
  ObjectMeta,
  OwnerReference,
} from '#shared/domain/objects.ts';

/** Keeps a deleted Workload, and its quota, until its job has stopped. */
export const inUseFinalizer = 'kueue.x-k8s.io/resource-in-use';
export const jobUidLabel = 'kueue.x-k8s.io/job-uid';

export interface PodSetAssignment {
  readonly name: string;
  readonly count?: number;
  /** ResourceFlavor by resource name. */
  readonly flavors?: Readonly<Record<string, string>>;
  readonly topologyAssignment?: Json;
}

export interface AdmissionCheck {
  readonly name: string;
  readonly state: string;
  readonly message?: string;
  readonly podSetUpdates?: readonly PodSetUpdate[];
}

export interface PodSetUpdate {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Json[];
}

export interface ReclaimablePod {
  readonly name: string;
  readonly count: number;
}

export interface Workload {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly podSets: readonly PodSet[];
    readonly queueName?: string;
    readonly active?: boolean;
    readonly priority?: number;
    readonly priorityClassRef?: JsonObject;
    readonly maximumExecutionTimeSeconds?: number;
  };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly admission?: {
      readonly clusterQueue: string;
      readonly podSetAssignments?: readonly PodSetAssignment[];
    };
    readonly admissionChecks?: readonly AdmissionCheck[];
    readonly reclaimablePods?: readonly ReclaimablePod[];
    readonly requeueState?: { readonly count?: number; readonly requeueAt?: string };
    readonly accumulatedPastExecutionTimeSeconds?: number;
  };
}

export type WorkloadCondition =
  'QuotaReserved' | 'Admitted' | 'Evicted' | 'Requeued' | 'PodsReady' | 'Finished';

/** Kueue's schema guarantees the shape. Only the list of podSets is checked. */
export function asWorkload(object: KubeObject): Workload {
  const { metadata, spec, status } = object as unknown as Workload;
  const podSets = (spec as Partial<Workload['spec']> | undefined)?.podSets ?? [];
  return { metadata, spec: { ...spec, podSets }, ...(status === undefined ? {} : { status }) };
}

export function conditionOf({ status }: Workload, type: WorkloadCondition): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

export function holds(workload: Workload, type: WorkloadCondition): boolean {
  return conditionOf(workload, type)?.status === 'True';
}

export function controllerOwner({ apiVersion, kind, name, uid }: ObjectKey): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
