/** The objects that `millrace get` lists, and the line of each. */
import { kinds as ownKinds } from '#functions/list.ts';
import { fieldsOf, textOf } from '#shared/domain/json-value.ts';
import type { KubeObject, Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import type { GetOptions } from '../commands/get-options.ts';
import { findOne } from '../find-named.ts';
import { childrenOf } from '../logs/children-of.ts';
import { loggedKinds, requireKnownPart } from '../logs/log-sources.ts';
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

export interface ListedKind {
  readonly resource: Resource;
  readonly rowOf: (object: KubeObject) => Listed;
}

const work: readonly ListedKind[] = picturedKinds.map((kind) => ({
  resource: kind.resource,
  rowOf: (object) => {
    const picture = pictureOf(kind, object, []);
    const detail = progressOf(picture).replaceAll(' of ', '/');
    return { resource: kind.resource, object, ...picture, detail };
  },
}));

/** The other kinds of Millrace, which have no parts. They are listed only if they are named. */
const others: readonly ListedKind[] = ownKinds
  .filter(({ resource }) => work.every((kind) => kind.resource.kind !== resource.kind))
  .map(({ resource }) => ({
    resource,
    rowOf: (object) => {
      const { state, reason, message } = fieldsOf(object.status);
      const cause = { reason: textOf(reason), message: textOf(message) };
      return { resource, object, state: textOf(state), detail: '', ...cause };
    },
  }));

export const listedKinds: readonly ListedKind[] = [...work, ...others];

/** A list for each kind; of no kind in particular: of all work. Throws CommandFailure if one cannot be listed. */
export async function listingsOf(
  wanted: readonly Resource[],
  options: GetOptions,
  cluster: OpenedCluster,
): Promise<readonly Listing[]> {
  return options.for === undefined
    ? listingsOfObjects(wanted, options, cluster)
    : listingsOfChildren(options.for, wanted, options, cluster);
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
  wanted: readonly Resource[],
  { allNamespaces = false, selector }: GetOptions,
  cluster: OpenedCluster,
): readonly Listing[] {
  const kinds =
    wanted.length === 0
      ? work
      : kindsAmong(listedKinds, wanted, (plural) =>
          plural === resources.Job.plural || plural === resources.Pod.plural
            ? `millrace get ${plural} --for NAME`
            : `${cluster.kubectl} get ${plural}`,
        );
  return kinds.map((kind) => ({
    ...kind,
    namespace: allNamespaces || !kind.resource.namespaced ? undefined : cluster.namespace,
    selectors: selector === undefined ? {} : { labelSelector: selector },
  }));
}

/** The Jobs and Pods of an object, or only one kind of them. */
async function listingsOfChildren(
  what: string,
  wanted: readonly Resource[],
  { selector }: GetOptions,
  cluster: OpenedCluster,
): Promise<readonly Listing[]> {
  const next = `millrace get jobs --for ${what}`;
  const kinds = wanted.length === 0 ? childKinds : kindsAmong(childKinds, wanted, () => next);
  const { kind: parent, object, named } = await findOne(what, loggedKinds, cluster);
  requireKnownPart(parent, object, named.part);
  const children = await childrenOf(parent, object, cluster);
  const labelSelector = [children.labelSelector, ...(selector === undefined ? [] : [selector])];
  return kinds.map(({ resource, stateOf }) => ({
    resource,
    namespace: object.metadata.namespace,
    selectors: { labelSelector: labelSelector.join(',') },
    rowOf: (child) => {
      const detail =
        parent.wraps === undefined ? partOf(parent, child, object) : children.partOf(child);
      return named.part === undefined || detail === named.part
        ? { resource, object: child, ...stateOf(child), detail }
        : undefined;
    },
  }));
}

/** Throws CommandFailure if a wanted kind is not among them. */
function kindsAmong<Kind extends { readonly resource: Resource }>(
  kinds: readonly Kind[],
  wanted: readonly Resource[],
  next: (plural: string) => string,
): readonly Kind[] {
  return wanted.map(({ kind, plural }) => {
    const chosen = kinds.find(({ resource }) => resource.kind === kind);
    if (chosen !== undefined) return chosen;
    const known = kinds.map(({ resource }) => resource.plural).join(', ');
    const message = `${plural} are not listed here, only ${known}`;
    throw new CommandFailure(exitCodes.usage, message, next(plural));
  });
}
