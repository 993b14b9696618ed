/** What `millrace get` lists, and what the line of each object shows. */
import type { KubeObject, Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import type { GetOptions } from '../commands/get-options.ts';
import { findOne } from '../find-named.ts';
import { loggedKinds } from '../logs/log-sources.ts';
import type { OpenedCluster } from '../open-cluster.ts';
import { listed } from '../why/surroundings.ts';
import { childKinds, partOf } from './children.ts';
import { type PicturedKind, picturedKinds } from './pictured-kinds.ts';
import type { Columns, Listed } from './table.ts';
import { progressOf } from './words.ts';

/** Objects of one kind. */
export interface Listing {
  readonly resource: Resource;
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly selectors: { readonly labelSelector?: string };
  /** Undefined: the object is not part of the list. */
  readonly rowOf: (object: KubeObject) => Listed | undefined;
}

/** A list for each kind. Throws CommandFailure if `kind` cannot be listed. */
export async function listingsOf(
  kind: Resource | undefined,
  options: GetOptions,
  cluster: OpenedCluster,
): Promise<readonly Listing[]> {
  return options.for === undefined
    ? listingsOfObjects(kind, options, cluster)
    : listingsOfChildren(options.for, kind, options, cluster);
}

export async function rowsOf(
  { resource, namespace, selectors, rowOf }: Listing,
  cluster: OpenedCluster,
): Promise<readonly Listed[]> {
  const objects = await listed(cluster, resource, namespace, selectors);
  return objects.map(rowOf).filter((row) => row !== undefined);
}

/** Case does not matter. */
export function hasStatus(states: GetOptions['status']): (row: Listed) => boolean {
  const wanted = states?.map((state) => state.toLowerCase());
  return ({ state }) => wanted?.includes(state.toLowerCase()) ?? true;
}

export function columnsFor(options: GetOptions): Columns {
  return {
    detail: options.for === undefined ? 'PROGRESS' : 'PART',
    withNamespace: options.allNamespaces === true,
    wide: options.output === 'wide',
  };
}

export function pictureOf(
  { observer }: PicturedKind,
  object: KubeObject,
  jobs: readonly KubeObject[],
) {
  return observer(object)(object, jobs, Date.now());
}

function listingsOfObjects(
  wanted: Resource | undefined,
  { allNamespaces = false, selector }: GetOptions,
  cluster: OpenedCluster,
): readonly Listing[] {
  const kinds = kindsFor(wanted, picturedKinds, (plural) =>
    plural === resources.Job.plural || plural === resources.Pod.plural
      ? `millrace get ${plural} --for NAME`
      : `${cluster.kubectl} get ${plural}`,
  );
  return kinds.map((kind) => ({
    resource: kind.resource,
    namespace: allNamespaces ? undefined : cluster.namespace,
    selectors: selector === undefined ? {} : { labelSelector: selector },
    rowOf: (object) => {
      const picture = pictureOf(kind, object, []);
      const detail = progressOf(picture).replaceAll(' of ', '/');
      return { resource: kind.resource, object, ...picture, detail };
    },
  }));
}

/** The Jobs and Pods of an object, or only one kind of them. */
async function listingsOfChildren(
  what: string,
  wanted: Resource | undefined,
  { selector }: GetOptions,
  cluster: OpenedCluster,
): Promise<readonly Listing[]> {
  const kinds = kindsFor(wanted, childKinds, () => `millrace get jobs --for ${what}`);
  const { kind: parent, object, named } = await findOne(what, loggedKinds, cluster);
  const labelSelector = [parent.selector(object), ...(selector === undefined ? [] : [selector])];
  return kinds.map(({ resource, stateOf }) => ({
    resource,
    namespace: object.metadata.namespace,
    selectors: { labelSelector: labelSelector.join(',') },
    rowOf: (child) => {
      const detail = partOf(parent, child);
      return named.part === undefined || detail === named.part
        ? { resource, object: child, ...stateOf(child), detail }
        : undefined;
    },
  }));
}

/** All kinds, or the wanted one. Throws CommandFailure if it is not among them. */
function kindsFor<Kind extends { readonly resource: Resource }>(
  wanted: Resource | undefined,
  kinds: readonly Kind[],
  next: (plural: string) => string,
): readonly Kind[] {
  if (wanted === undefined) return kinds;
  const chosen = kinds.filter(({ resource }) => resource.kind === wanted.kind);
  if (chosen.length > 0) return chosen;
  const known = kinds.map(({ resource }) => resource.plural).join(', ');
  const message = `${wanted.plural} are not listed here: ${known}`;
  throw new CommandFailure(exitCodes.usage, message, next(wanted.plural));
}
