/**
 * Owners of an object that are of Kueue's kinds (v0.19 jobframework, FindAncestorJobManagedByKueue).
 */
import { managedResources } from '#shared/api/work/queued-kinds.ts';
import {
  controllerOf,
  groupVersionOf,
  type KubeObject,
  type ObjectMeta,
  type ObjectName,
  type OwnerReference,
  type Resource,
  type Uid,
} from '#shared/domain/objects.ts';
import type { KueueSettings } from './kueue-settings.ts';

/** Kueue's own limit (managedOwnersChainLimit). */
const mostOwners = 10;

export interface FoundOwners {
  /** The direct one first. */
  readonly owners: readonly KubeObject[];
  /** The owners form a cycle, or are more than Kueue follows. */
  readonly isEndless: boolean;
}

/**
 * Undefined for an owner that is gone or whose name another object has: its own owners are unknown.
 */
export type FindOwner = (
  resource: Resource,
  owner: ObjectName & { readonly uid: Uid },
) => Promise<KubeObject | undefined>;

export async function ownersOf(
  metadata: Pick<ObjectMeta, 'ownerReferences'>,
  namespace: string,
  frameworks: KueueSettings['frameworks'],
  find: FindOwner,
): Promise<FoundOwners> {
  const owners: KubeObject[] = [];
  const seen = new Set<string>();
  let next = controllerOf(metadata);
  while (next !== undefined && frameworks.has(frameworkOf(next))) {
    const { name, uid } = next;
    if (seen.has(uid) || owners.length === mostOwners) return { owners, isEndless: true };
    seen.add(uid);
    const owner = await find(resourceOf(next), { namespace, name, uid });
    if (owner?.metadata.uid !== uid) break;
    owners.push(owner);
    next = controllerOf(owner.metadata);
  }
  return { owners, isEndless: false };
}

/** `Kind.version.group`, as in Kueue's configuration. */
export function frameworkOf({
  apiVersion,
  kind,
}: Pick<OwnerReference, 'apiVersion' | 'kind'>): string {
  const { group, version } = groupVersionOf(apiVersion);
  return `${kind}.${version}.${group}`;
}

function resourceOf({ apiVersion, kind }: OwnerReference): Resource {
  const { group, version } = groupVersionOf(apiVersion);
  const known = managedResources.find(
    (resource) => resource.kind === kind && resource.group === group,
  );
  return known ?? { group, version, kind, plural: pluralOf(kind), namespaced: true };
}

/** As apimachinery guesses it (meta.UnsafeGuessKindToResource). */
function pluralOf(kind: string): string {
  const singular = kind.toLowerCase();
  if (singular.endsWith('s')) return `${singular}es`;
  return singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}
