/** The fields of batch/v1 and core/v1 objects that tests read. */
import type { JobSpec, PodSpec } from '#shared/api/pod-template.ts';
import type { KubeObject } from '#shared/domain/objects.ts';

export interface JobObject extends KubeObject {
  readonly spec: JobSpec;
  readonly status?: {
    readonly active?: number;
    readonly succeeded?: number;
    readonly failed?: number;
    readonly terminating?: number;
    readonly startTime?: string;
    readonly completionTime?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
      readonly lastTransitionTime?: string;
    }[];
  };
}

export interface PodObject extends KubeObject {
  readonly spec: PodSpec;
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly containerStatuses?: readonly {
      readonly state?: { readonly terminated?: { readonly exitCode: number } };
    }[];
  };
}

export interface EventObject extends KubeObject {
  readonly reason?: string;
  readonly message?: string;
  readonly involvedObject?: { readonly kind: string; readonly name: string };
  readonly series?: { readonly count: number };
}

/** Whether the Job has this condition with status True. */
export function has(job: JobObject | undefined, type: string): boolean {
  return (
    job?.status?.conditions?.some(
      (condition) => condition.type === type && condition.status === 'True',
    ) ?? false
  );
}

/** The Pods of this Job, by the Job controller's label. */
export function podsOf(pods: readonly PodObject[], jobName: string): readonly PodObject[] {
  return pods.filter((pod) => pod.metadata.labels?.['batch.kubernetes.io/job-name'] === jobName);
}
