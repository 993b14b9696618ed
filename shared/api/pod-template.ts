/**
 * The parts of core/v1 and batch/v1 that Millrace reads. Everything else is passed on unchanged;
 * the API server checks it when the Job is created.
 */
import type { Json, JsonObject } from '#shared/domain/objects.ts';

/** core/v1 EnvVar. */
export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: JsonObject;
  readonly [key: string]: Json | undefined;
}

/** core/v1 Volume: a name and exactly one source. */
export interface Volume {
  readonly name: string;
  readonly [source: string]: Json | undefined;
}

/** core/v1 VolumeMount. */
export interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
  readonly [key: string]: Json | undefined;
}

export interface Container {
  readonly name: string;
  readonly env?: readonly EnvVar[];
  readonly volumeMounts?: readonly VolumeMount[];
  readonly [key: string]: Json | undefined;
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly Volume[];
  readonly restartPolicy?: string;
  readonly nodeName?: string;
  readonly affinity?: JsonObject;
  readonly [key: string]: Json | undefined;
}

export interface TemplateMetadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly [key: string]: Json | undefined;
}

/** core/v1 PodTemplateSpec. */
export interface PodTemplate {
  readonly metadata?: TemplateMetadata;
  readonly spec: PodSpec;
  readonly [key: string]: Json | undefined;
}

/** batch/v1 JobSpec. */
export interface JobSpec {
  readonly template: PodTemplate;
  readonly parallelism?: number;
  readonly completions?: number;
  readonly completionMode?: 'NonIndexed' | 'Indexed';
  readonly backoffLimit?: number;
  readonly backoffLimitPerIndex?: number;
  readonly maxFailedIndexes?: number;
  readonly activeDeadlineSeconds?: number;
  readonly ttlSecondsAfterFinished?: number;
  readonly suspend?: boolean;
  readonly [key: string]: Json | undefined;
}
