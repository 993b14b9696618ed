/** Finds the objects that a user names. */
import type { KubeObject } from '#shared/domain/objects.ts';
import { CommandFailure, exitCodes } from './command-failure.ts';
import { notFound, type OfResource, unfit, type Where } from './name-hints.ts';
import { type NamedObject, namedObject } from './named-object.ts';

export interface Found<Kind extends OfResource> {
  readonly kind: Kind;
  readonly object: KubeObject;
  readonly named: NamedObject;
}

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
  if (named.resource !== undefined && wanted.length === 0) {
    throw unfit(what, named.name, named.resource, kinds, where.kubectl);
  }
  const { client, namespace } = where;
  const asked = wanted.map(async (kind): Promise<readonly Found<Kind>[]> => {
    const place = { namespace: kind.resource.namespaced ? namespace : '', name: named.name };
    const object = await client.get(kind.resource, place);
    return object === undefined ? [] : [{ kind, object, named }];
  });
  const found = (await Promise.all(asked)).flat();
  if (found.length === 0) throw await notFound(named, wanted, where);
  // Each kind has parts of its own, so the name alone does not say whose part is meant.
  if (named.part !== undefined && found.length > 1) throw ambiguous(what, found);
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
  throw ambiguous(what, found);
}

function ambiguous(what: string, found: readonly Found<OfResource>[]): CommandFailure {
  const names = found.map(({ kind }) => `${kind.resource.kind.toLowerCase()}/${what}`);
  return new CommandFailure(
    exitCodes.usage,
    `several objects are called ${what}; name the kind too`,
    `the same with ${names.join(' or ')}`,
  );
}
