/** Keeps a deleted policy until the objects that it holds are resumed. */
import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';
import { prefix } from '#shared/domain/labels.ts';
import { objectName } from '#shared/domain/objects.ts';
import type { PatchOperation } from '#shared/domain/plan.ts';
import { policyResourceOf } from '../snapshot.ts';

export const finalizer = `${prefix}suspend-schedule`;

export function hasFinalizer({ metadata }: SuspendPolicy): boolean {
  return metadata.finalizers?.includes(finalizer) === true;
}

/** The list is written as a whole, so the patch is bound to the version that was read. */
export function finalizerPatch(policy: SuspendPolicy, isThere: boolean): PatchOperation {
  const { finalizers = [], uid, resourceVersion } = policy.metadata;
  const others = finalizers.filter((each) => each !== finalizer);
  return {
    kind: 'patch',
    resource: policyResourceOf(policy),
    target: objectName(policy.metadata),
    uid,
    resourceVersion,
    patch: { metadata: { finalizers: isThere ? [...others, finalizer] : others } },
  };
}
