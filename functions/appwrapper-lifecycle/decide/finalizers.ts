import { type JsonObject, objectName } from '#shared/domain/objects.ts';
import type { PatchOperation } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Situation } from './situation.ts';

/** Bound to the version that was read: other controllers add finalizers to the same list. */
export function patchFinalizers(
  { wrapper: { metadata } }: Situation,
  finalizers: readonly string[],
): PatchOperation {
  const { uid, resourceVersion } = metadata;
  const patch: JsonObject = { metadata: { finalizers } };
  const target = objectName(metadata);
  return { kind: 'patch', resource: resources.AppWrapper, target, uid, resourceVersion, patch };
}
