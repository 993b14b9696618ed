/**
 * Aggregated discovery: everything that is served, in two documents of APIGroupDiscoveryList
 * (KEP-3352).
 */
import type { ResourceType } from '../registry/resource-type.ts';
import { rangesOf } from './accept.ts';
import { type ServedGroup, type ServedVersion, verbsOf } from './discovery.ts';
import { subresourcesOf } from './subresources.ts';
import type { VirtualResource } from './virtual-resources.ts';

/**
 * The version of the aggregated form, if the client prefers it over the plain one. Undefined:
 * plain.
 */
export function aggregatedVersion(accept: string | undefined): string | undefined {
  for (const { type, parameters } of rangesOf(accept ?? '')) {
    if (type !== 'application/json' && type !== '*/*') continue;
    if (parameters.get('as') === undefined) return undefined;
    const version = parameters.get('v');
    const isDiscovery =
      parameters.get('g') === 'apidiscovery.k8s.io' &&
      parameters.get('as') === 'APIGroupDiscoveryList';
    if (isDiscovery && version === 'v2') return version;
  }
  return undefined;
}

export function aggregatedMediaType(version: string): string {
  return `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
}

/** For /api the core group, for /apis the named groups. */
export function aggregatedDiscovery(version: string, groups: readonly ServedGroup[]): object {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === '' ? {} : { name },
      versions: versions.map((served) => versionEntry(name, served)),
    })),
  };
}

function versionEntry(group: string, { version, types, virtual }: ServedVersion): object {
  const resources = [
    ...types.map(resourceEntry),
    ...virtual.map((resource) => virtualEntry(group, resource)),
  ];
  return { version, resources, freshness: 'Current' };
}

function resourceEntry(type: ResourceType): object {
  const { kind, plural, singular, namespaced, shortNames, categories } = type;
  // Built-in kinds omit fields that follow from their place.
  const group = type.isBuiltIn ? '' : type.group;
  const version = type.isBuiltIn ? '' : type.version;
  const subresources = subresourcesOf(type).map((subresource) => ({
    subresource: subresource.name,
    responseKind: {
      group: subresource.group ?? group,
      version: subresource.version ?? version,
      kind: subresource.kind,
    },
    verbs: subresource.verbs,
  }));
  return {
    resource: plural,
    responseKind: { group, version, kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: verbsOf(type),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}

function virtualEntry(group: string, resource: VirtualResource): object {
  const { version, kind, plural, singular, namespaced } = resource;
  return {
    resource: plural,
    responseKind: { group, version, kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: ['create'],
  };
}
