/** The fields of batch/v1 JobSpec that defaults and rules read. */
import type { LabelSelector } from '../../apimachinery/label-selector.ts';
import type { PodSpec } from './pod-template-defaults.ts';

export interface JobSpec {
  readonly parallelism?: number;
  readonly completions?: number;
  readonly completionMode?: string;
  readonly backoffLimit?: number;
  readonly backoffLimitPerIndex?: number;
  readonly maxFailedIndexes?: number;
  readonly activeDeadlineSeconds?: number;
  readonly ttlSecondsAfterFinished?: number;
  readonly suspend?: boolean;
  readonly manualSelector?: boolean;
  readonly podReplacementPolicy?: string;
  readonly podFailurePolicy?: object;
  readonly successPolicy?: object;
  readonly managedBy?: string;
  readonly selector?: LabelSelector;
  readonly template?: JobTemplate;
}

export interface JobTemplate {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: PodSpec;
}
