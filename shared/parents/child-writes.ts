/** Writes on one child, bound to its uid. */
import type { JsonObject } from '#shared/domain/objects.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import type { DeleteOperation, PatchOperation } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';

/** A merge patch. */
export function childPatch(namespace: string, job: ObservedJob, patch: JsonObject): PatchOperation {
  return { kind: 'patch', ...nameOf(namespace, job), patch };
}

/** Foreground: the name becomes free when the Pods are gone. */
export function childDeletion(
  namespace: string,
  job: ObservedJob,
  propagation: DeleteOperation['propagation'] = 'Foreground',
): DeleteOperation {
  return { kind: 'delete', ...nameOf(namespace, job), propagation };
}

function nameOf(namespace: string, { name, uid }: ObservedJob) {
  return { resource: resources.Job, target: { namespace, name }, uid };
}
