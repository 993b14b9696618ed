import type { JsonObject, ObjectName } from '#shared/domain/objects.ts';
import type { PatchOperation } from '#shared/domain/plan.ts';
import type { ObservedJob } from '../snapshot.ts';
import type { Situation } from './situation.ts';

/** A merge patch on one child, bound to its uid. */
export function childPatch(
  situation: Situation,
  job: ObservedJob,
  patch: JsonObject,
): PatchOperation {
  return {
    kind: 'patch',
    resource: 'Job',
    target: childName(situation, job),
    uid: job.uid,
    patch,
  };
}

export function childName({ flow }: Situation, job: ObservedJob): ObjectName {
  return { namespace: flow.metadata.namespace ?? '', name: job.name };
}

export function flowName({ flow }: Situation): ObjectName {
  return { namespace: flow.metadata.namespace ?? '', name: flow.metadata.name };
}
