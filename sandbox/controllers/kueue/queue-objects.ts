/**
 * Objects of Kueue as the stand-in reads them. Fields that the definitions do not check may have
 * any value.
 */
import type { KubeObject } from '#shared/domain/objects.ts';
import type { PodSpec } from '../objects/pod.ts';

export interface QueueCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

export type StopPolicy = 'None' | 'Hold' | 'HoldAndDrain';

export interface PodSet {
  readonly name: string;
  readonly count: number;
  readonly template: { readonly spec: PodSpec };
}

export interface Assignment {
  readonly name: string;
  /** By resource. */
  readonly flavors: Readonly<Record<string, string>>;
  readonly resourceUsage: Readonly<Record<string, string>>;
  readonly count: number;
}

export interface AdmissionCheckState {
  readonly name: string;
  readonly state: 'Pending' | 'Ready' | 'Retry' | 'Rejected';
  readonly message: string;
  readonly lastTransitionTime: string;
}

export interface WorkloadStatus {
  readonly conditions?: readonly QueueCondition[];
  readonly admission?: {
    readonly clusterQueue: string;
    readonly podSetAssignments: readonly Assignment[];
  };
  readonly admissionChecks?: readonly AdmissionCheckState[];
  readonly reclaimablePods?: readonly { readonly name: string; readonly count: number }[];
}

export interface Workload extends KubeObject {
  readonly spec: {
    readonly active?: boolean;
    readonly queueName?: string;
    readonly priority?: number;
    readonly podSets: readonly PodSet[];
  };
  readonly status?: WorkloadStatus;
}

export interface LocalQueue extends KubeObject {
  readonly spec: { readonly clusterQueue?: string; readonly stopPolicy?: StopPolicy };
  readonly status?: object;
}

export interface FlavorQuota {
  readonly name: string;
  readonly resources: readonly { readonly name: string; readonly nominalQuota: string | number }[];
}

export interface ClusterQueue extends KubeObject {
  readonly spec: {
    readonly resourceGroups?: readonly {
      readonly coveredResources: readonly string[];
      readonly flavors: readonly FlavorQuota[];
    }[];
    readonly queueingStrategy?: 'StrictFIFO' | 'BestEffortFIFO';
    readonly preemption?: { readonly withinClusterQueue?: string };
    readonly stopPolicy?: StopPolicy;
    readonly admissionChecksStrategy?: {
      readonly admissionChecks?: readonly { readonly name: string }[];
    };
  };
  readonly status?: object;
}

/** Everything that one pass over the queues reads. */
export interface Queues {
  readonly clusterQueues: ReadonlyMap<string, ClusterQueue>;
  /** By `namespace/name`. */
  readonly localQueues: ReadonlyMap<string, LocalQueue>;
  readonly flavors: ReadonlySet<string>;
  readonly workloads: readonly Workload[];
}

export function holds({ status }: Workload, type: string): boolean {
  return conditionOf(status, type)?.status === 'True';
}

export function conditionOf(
  status: WorkloadStatus | undefined,
  type: string,
): QueueCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

export function localQueueOf(queues: Queues, { metadata, spec }: Workload): LocalQueue | undefined {
  return queues.localQueues.get(`${metadata.namespace ?? ''}/${spec.queueName ?? ''}`);
}
