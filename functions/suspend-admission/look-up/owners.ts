/** Kueue's kinds among the owners of an object (v0.19 jobframework, FindAncestorJobManagedByKueue). */
import { workKinds } from '#shared/api/work/work-kinds.ts';
import {
  controllerOf,
  type JsonObject,
  type KubeObject,
  type ObjectMeta,
  type OwnerReference,
  type Resource,
} from '#shared/domain/objects.ts';
import type { Reader } from '#shared/kube/reader.ts';
import type { Owner } from '../facts.ts';
import type { KueueSettings } from '../kueue-settings.ts';
import { queueOf } from '#shared/domain/queue-labels.ts';

/** As far as Kueue goes (managedOwnersChainLimit). */
const mostOwners = 10;

/** Owners that are asked for by default, and what their API calls them. */
export const ownerResources: readonly Resource[] = workKinds
  .filter(({ isQueued }) => isQueued === true)
  .map(({ resource }) => resource);

export interface FoundOwners {
  readonly owners: readonly Owner[];
  readonly isEndless: boolean;
}

export async function ownersOf(
  object: JsonObject,
  namespace: string,
  { frameworks }: Pick<KueueSettings, 'frameworks'>,
  reader: Pick<Reader, 'get'>,
): Promise<FoundOwners> {
  const owners: Owner[] = [];
  const seen = new Set<string>();
  let next = controllerOf(metadataOf(object));
  while (next !== undefined && frameworks.has(frameworkOf(next))) {
    if (seen.has(next.uid) || owners.length === mostOwners) return { owners, isEndless: true };
    seen.add(next.uid);
    const owner = await reader.get(resourceOf(next), { namespace, name: next.name });
    // Of one that is gone, or whose name another one has, nothing is known: it owns nothing.
    if (owner?.metadata.uid !== next.uid) break;
    owners.push(asOwner(frameworkOf(next), owner));
    next = controllerOf(owner.metadata);
  }
  return { owners, isEndless: false };
}

function asOwner(kind: string, owner: KubeObject): Owner {
  const queue = queueOf(owner as unknown as JsonObject);
  return { kind, name: owner.metadata.name, ...(queue === '' ? {} : { queue }) };
}

function metadataOf({ metadata }: JsonObject): Pick<ObjectMeta, 'ownerReferences'> {
  return (metadata ?? {}) as unknown as ObjectMeta;
}

/** `Kind.version.group`, as Kueue is configured. */
export function frameworkOf({
  apiVersion,
  kind,
}: Pick<OwnerReference, 'apiVersion' | 'kind'>): string {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return `${kind}.${version}.${group}`;
}

function resourceOf({ apiVersion, kind }: OwnerReference): Resource {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const known = ownerResources.find(
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
