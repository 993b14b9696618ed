/** batch/v1 Job as the controllers read it. The API has validated the object before it was stored. */
import type { KubeObject, Uid } from '#shared/domain/objects.ts';
import type { JobSpec as SentJobSpec } from '../../api/kinds/job-spec.ts';
import type { LabelSelector } from '../../apimachinery/label-selector.ts';
import type { PodTemplate } from './pod.ts';

/** The spec as users may send it, with the fields that validation guarantees. */
export interface JobSpec extends Omit<SentJobSpec, 'template'> {
  readonly podReplacementPolicy?: 'TerminatingOrFailed' | 'Failed';
  readonly podFailurePolicy?: PodFailurePolicy;
  readonly successPolicy?: SuccessPolicy;
  readonly selector?: LabelSelector;
  readonly template: PodTemplate;
}

export interface PodFailurePolicy {
  readonly rules: readonly PodFailureRule[];
}

export interface PodFailureRule {
  readonly action: 'FailJob' | 'FailIndex' | 'Ignore' | 'Count';
  readonly onExitCodes?: {
    readonly containerName?: string;
    readonly operator: 'In' | 'NotIn';
    readonly values: readonly number[];
  };
  readonly onPodConditions?: readonly { readonly type: string; readonly status?: string }[];
}

export interface SuccessPolicy {
  readonly rules: readonly SuccessRule[];
}

export interface SuccessRule {
  readonly succeededIndexes?: string;
  readonly succeededCount?: number;
}

export interface JobCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly lastProbeTime: string;
  readonly lastTransitionTime: string;
}

export interface JobStatus {
  readonly conditions?: readonly JobCondition[];
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly active?: number;
  readonly ready?: number;
  readonly terminating?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly completedIndexes?: string;
  readonly failedIndexes?: string;
  readonly uncountedTerminatedPods?: {
    readonly succeeded?: readonly Uid[];
    readonly failed?: readonly Uid[];
  };
}

export interface Job extends KubeObject {
  readonly spec: JobSpec;
  readonly status?: JobStatus;
}

/** The object of a store that holds only valid Jobs. */
export const asJob = (object: KubeObject): Job => object as Job;

export function jobCondition(job: Job, type: string): JobCondition | undefined {
  return job.status?.conditions?.find((condition) => condition.type === type);
}

export function isJobFinished(job: Job): boolean {
  return (
    jobCondition(job, 'Complete')?.status === 'True' ||
    jobCondition(job, 'Failed')?.status === 'True'
  );
}

export const isIndexed = ({ spec }: Job): boolean => spec.completionMode === 'Indexed';
export const hasLimitPerIndex = ({ spec }: Job): boolean => spec.backoffLimitPerIndex !== undefined;
export const isSuspended = ({ spec }: Job): boolean => spec.suspend === true;

/** Pods are replaced only after their end, not while they terminate (KEP-3939; implied by podFailurePolicy). */
export const replacesOnlyFailed = ({ spec }: Job): boolean =>
  spec.podReplacementPolicy === 'Failed' || spec.podFailurePolicy !== undefined;

/** Defaults of pkg/apis/batch/v1/defaults.go, for objects that were stored without them. */
export const parallelismOf = ({ spec }: Job): number => spec.parallelism ?? 1;

/** Undefined: a work queue, which ends when any Pod has succeeded and none is running. */
export function completionsOf({ spec }: Job): number | undefined {
  return spec.completions ?? (spec.parallelism === undefined ? 1 : undefined);
}

export function backoffLimitOf({ spec }: Job): number {
  return spec.backoffLimit ?? (spec.backoffLimitPerIndex === undefined ? 6 : 2147483647);
}
