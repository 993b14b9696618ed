import type { Verdict } from '#shared/api/fault.ts';
import {
  validateClusterSuspendPolicy,
  validateDaemonJob,
  validateJobFlow,
  validateJobTemplate,
  validateSuspendPolicy,
} from '#shared/api/validate.ts';
import type { NewObject, Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';

export interface ValidatedKind {
  readonly resource: Resource;
  readonly validate: (manifest: unknown) => Verdict<NewObject>;
}

/** Kinds whose manifests are validated without a cluster, as by the API server. A kind is added by a line. */
export const validatedKinds: readonly ValidatedKind[] = [
  { resource: resources.JobFlow, validate: validateJobFlow },
  { resource: resources.JobTemplate, validate: validateJobTemplate },
  { resource: resources.DaemonJob, validate: validateDaemonJob },
  { resource: resources.SuspendPolicy, validate: validateSuspendPolicy },
  { resource: resources.ClusterSuspendPolicy, validate: validateClusterSuspendPolicy },
];
