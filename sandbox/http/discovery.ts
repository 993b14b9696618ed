/**
 * Discovery of the served resources: APIVersions, APIGroupList, APIGroup, APIResourceList of
 * meta/v1.
 */
import type { ResourceType } from '../registry/resource-type.ts';
import { subresourcesOf } from './subresources.ts';
import { virtualResources, type VirtualResource } from './virtual-resources.ts';

export interface ServedGroup {
  readonly name: string;
  /** The preferred version first. */
  readonly versions: readonly ServedVersion[];
}

export interface ServedVersion {
  readonly version: string;
  readonly types: readonly ResourceType[];
  readonly virtual: readonly VirtualResource[];
}

export const typeVerbs = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
] as const;

/** Namespaces have no deletecollection. */
export function verbsOf({ group, plural }: ResourceType): readonly string[] {
  const isNamespaces = group === '' && plural === 'namespaces';
  return typeVerbs.filter((verb) => !(isNamespaces && verb === 'deletecollection'));
}

/** Groups in the order of `types`, resources of a version by name. */
export function servedGroups(types: readonly ResourceType[]): readonly ServedGroup[] {
  const groups = new Map<
    string,
    Map<string, { types: ResourceType[]; virtual: VirtualResource[] }>
  >();
  const at = ({ group, version }: ResourceType | VirtualResource) => {
    const versions = groups.get(group) ?? new Map<string, never>();
    groups.set(group, versions);
    const served = versions.get(version) ?? { types: [], virtual: [] };
    versions.set(version, served);
    return served;
  };
  for (const type of types) at(type).types.push(type);
  for (const virtual of virtualResources) at(virtual).virtual.push(virtual);
  return [...groups].map(([name, versions]) => ({
    name,
    versions: [...versions]
      .map(([version, served]) => ({
        version,
        types: served.types.sort((one, other) => (one.plural < other.plural ? -1 : 1)),
        virtual: served.virtual,
      }))
      .sort((one, other) => comparedVersions(one.version, other.version)),
  }));
}

/** v1 before v1beta1 before v1alpha1 (apimachinery pkg/version CompareKubeAwareVersionStrings). */
export function comparedVersions(one: string, other: string): number {
  return rankOf(other) - rankOf(one) || (one < other ? -1 : 1);
}

function rankOf(version: string): number {
  const [, major, stage, minor] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
  if (major === undefined) return -1;
  const stages = { alpha: 1, beta: 2 } as const;
  const stageRank = stage === undefined ? 3 : stages[stage as 'alpha' | 'beta'];
  return stageRank * 1e6 + Number(major) * 1e3 + Number(minor ?? 0);
}

/** /api */
export function apiVersions(host: string): object {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: host }],
  };
}

/** /apis */
export function apiGroupList(groups: readonly ServedGroup[]): object {
  const named = groups.filter(({ name }) => name !== '');
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: named.map(groupEntry) };
}

/** /apis/GROUP */
export function apiGroup(group: ServedGroup): object {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group) };
}

function groupEntry({ name, versions }: ServedGroup): object {
  const entries = versions.map(({ version }) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

/** /api/v1, /apis/GROUP/VERSION */
export function apiResourceList(group: string, { version, types, virtual }: ServedVersion): object {
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: group === '' ? version : `${group}/${version}`,
    resources: [...types.flatMap(resourceEntries), ...virtual.map(virtualEntry)],
  };
}

function resourceEntries(type: ResourceType): readonly object[] {
  const { plural, singular, namespaced, kind, shortNames, categories } = type;
  return [
    {
      name: plural,
      singularName: singular,
      namespaced,
      kind,
      verbs: verbsOf(type),
      ...(shortNames.length === 0 ? {} : { shortNames }),
      ...(categories.length === 0 ? {} : { categories }),
    },
    ...subresourcesOf(type).map(({ name, ...rest }) => ({
      name: `${plural}/${name}`,
      singularName: '',
      namespaced,
      ...rest,
    })),
  ];
}

function virtualEntry({ plural, singular, namespaced, kind }: VirtualResource): object {
  return { name: plural, singularName: singular, namespaced, kind, verbs: ['create'] };
}
