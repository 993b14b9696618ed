import type { JsonObject } from './objects.ts';
import type { PatchOperation } from './plan.ts';
import type { ObservedJob } from './observed-job.ts';
import { resources } from './resources.ts';

/** A merge patch on one child, bound to its uid. */
export function childPatch(namespace: string, job: ObservedJob, patch: JsonObject): PatchOperation {
  return {
    kind: 'patch',
    resource: resources.Job,
    target: { namespace, name: job.name },
    uid: job.uid,
    patch,
  };
}
