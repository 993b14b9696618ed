/** Finds the objects that a user names. */
import { didYouMean } from '#shared/api/fault.ts';
import { hasCode } from '#shared/domain/errors.ts';
import type { KubeObject, Resource } from '#shared/domain/objects.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { CommandFailure, exitCodes } from './command-failure.ts';
import { type NamedObject, namedObject } from './named-object.ts';
import type { OpenedCluster } from './open-cluster.ts';

interface OfResource {
  readonly resource: Resource;
}

export interface Found<Kind extends OfResource> {
  readonly kind: Kind;
  readonly object: KubeObject;
  readonly named: NamedObject;
}

type Where = Pick<OpenedCluster, 'namespace' | 'kubectl'> & {
  readonly client: Pick<KubeClient, 'get' | 'list'>;
};

/** Objects of this name, of all these kinds unless the kind is named. Throws CommandFailure. */
export async function findNamed<Kind extends OfResource>(
  what: string,
  kinds: readonly Kind[],
  where: Where,
): Promise<readonly Found<Kind>[]> {
  const named = namedObject(what);
  const wanted = kinds.filter(
    ({ resource }) => named.resource === undefined || named.resource.kind === resource.kind,
  );
  if (wanted.length === 0) {
    throw new CommandFailure(
      exitCodes.usage,
      `${named.resource?.kind ?? what} is not one of the kinds of this command: ${words(kinds)}`,
      'millrace --help',
    );
  }
  const { client, namespace } = where;
  const asked = wanted.map(async (kind): Promise<readonly Found<Kind>[]> => {
    const place = { namespace: kind.resource.namespaced ? namespace : '', name: named.name };
    const object = await client.get(kind.resource, place);
    return object === undefined ? [] : [{ kind, object, named }];
  });
  const found = (await Promise.all(asked)).flat();
  if (found.length === 0) throw await notFound(named, wanted, where);
  return found;
}

/** The only object. Throws CommandFailure if several kinds have an object of this name. */
export async function findOne<Kind extends OfResource>(
  what: string,
  kinds: readonly Kind[],
  where: Where,
): Promise<Found<Kind>> {
  const found = await findNamed(what, kinds, where);
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first;
  const names = found.map(({ kind }) => `${kind.resource.kind.toLowerCase()}/${what}`);
  throw new CommandFailure(
    exitCodes.usage,
    `several objects are called ${what}; name the kind too`,
    `the same with ${names.join(' or ')}`,
  );
}

async function notFound(
  { name }: NamedObject,
  kinds: readonly OfResource[],
  { client, namespace, kubectl }: Where,
): Promise<CommandFailure> {
  const there = await Promise.all(
    kinds.map(({ resource }) => namesOf(client, resource, namespace)),
  );
  const near = didYouMean(name, there.flat());
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  const [only] = kinds.length === 1 ? kinds : [];
  const isPlaced = kinds.some(({ resource }) => resource.namespaced);
  const place = isPlaced ? ` in the namespace ${namespace}` : '';
  return new CommandFailure(
    exitCodes.notFound,
    `no ${words(kinds)} is called ${name}${place}${hint}`,
    `${kubectl} get ${only?.resource.plural ?? 'millrace'}${isPlaced ? ' -A' : ''}`,
  );
}

/** A few names for a hint. Empty if the kind is not served or may not be listed. */
async function namesOf(
  client: Pick<KubeClient, 'list'>,
  resource: Resource,
  namespace: string,
): Promise<readonly string[]> {
  try {
    const where = resource.namespaced ? { namespace } : {};
    const { items } = await client.list(resource, { ...where, limit: 500 });
    return items.map(({ metadata }) => metadata.name);
  } catch (error) {
    if (hasCode(error, 'MR_API_NOT_FOUND') || hasCode(error, 'MR_API_FORBIDDEN')) return [];
    throw error;
  }
}

function words(kinds: readonly OfResource[]): string {
  const names = kinds.map(({ resource }) => resource.kind);
  const last = names.pop() ?? '';
  return names.length === 0 ? last : `${names.join(', ')} or ${last}`;
}
