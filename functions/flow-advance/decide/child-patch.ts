import type { JsonObject } from '#shared/domain/objects.ts';
import type { PatchOperation } from '#shared/domain/plan.ts';
import type { ObservedJob } from '../snapshot.ts';
import { childName } from './object-names.ts';
import type { Situation } from './situation.ts';
import { resources } from '#shared/domain/resources.ts';

/** A merge patch on one child, bound to its uid. */
export function childPatch(
  situation: Situation,
  job: ObservedJob,
  patch: JsonObject,
): PatchOperation {
  return {
    kind: 'patch',
    resource: resources.Job,
    target: childName(situation, job),
    uid: job.uid,
    patch,
  };
}
