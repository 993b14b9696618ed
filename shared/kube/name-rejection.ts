/** What it means for a create that an object has the name already. */
import { controllerOf, type KubeObject, objectName } from '#shared/domain/objects.ts';
import type { Rejection } from '#shared/domain/rejection.ts';

/** Finalizers that are named; more are cut off. */
const namedFinalizers = 3;

/**
 * `NameTerminating` while the object is being deleted: the name becomes free by itself, or somebody
 * has to look at what holds it. `NameConflict` otherwise.
 */
export function nameRejection(existing: KubeObject): Rejection {
  const { namespace, name } = objectName(existing.metadata);
  if (existing.metadata.deletionTimestamp === undefined) {
    const message = `${existing.kind} ${namespace}/${name} exists and belongs to somebody else`;
    return { name, code: 'NameConflict', message };
  }
  return { name, code: 'NameTerminating', message: terminatingMessage(existing) };
}

function terminatingMessage(existing: KubeObject): string {
  const { kind, metadata } = existing;
  const owner = controllerOf(metadata);
  const whose = owner === undefined ? 'of somebody else' : `of another ${owner.kind} ${owner.name}`;
  return (
    `the name is held by ${kind} ${metadata.name} ${whose}, which is being deleted` +
    `${heldBy(metadata.finalizers ?? [])}: wait for its Pods to end, or remove what holds it`
  );
}

function heldBy(finalizers: readonly string[]): string {
  if (finalizers.length === 0) return '';
  const rest = finalizers.length > namedFinalizers ? ', ...' : '';
  return ` (finalizers ${finalizers.slice(0, namedFinalizers).join(', ')}${rest})`;
}
