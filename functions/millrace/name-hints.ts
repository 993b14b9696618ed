/** Hints about a name that a command cannot use. */
import { kinds as ownKinds } from '#functions/list.ts';
import { didYouMean } from '#shared/api/fault.ts';
import { hasCode } from '#shared/domain/errors.ts';
import type { KubeObject, Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient, ListOptions } from '#shared/kube/client.ts';
import { CommandFailure, exitCodes } from './command-failure.ts';
import { kindNear, type NamedObject } from './named-object.ts';
import type { OpenedCluster } from './open-cluster.ts';

export interface OfResource {
  readonly resource: Resource;
}

export type Where = Pick<OpenedCluster, 'namespace' | 'kubectl'> & {
  readonly client: Pick<KubeClient, 'get' | 'list'>;
};

/** The command is not for the kind that was named. */
export function unfit(
  what: string,
  name: string,
  resource: Resource,
  kinds: readonly OfResource[],
  kubectl: string,
): CommandFailure {
  return new CommandFailure(
    exitCodes.usage,
    `${what} is ${withArticle(resource.kind)}, and this command is for ${withArticle(words(kinds))}`,
    `${isOwn(resource) ? 'millrace' : kubectl} get ${resource.kind.toLowerCase()}/${name}`,
  );
}

/** Looks for the name in other namespaces, and for one that is nearly the same. */
export async function notFound(
  { name, part, resource }: NamedObject,
  wanted: readonly OfResource[],
  { client, namespace, kubectl }: Where,
): Promise<CommandFailure> {
  const failure = (message: string, next: string): CommandFailure =>
    new CommandFailure(exitCodes.notFound, message, next);
  const meant = resource === undefined && part !== undefined ? kindNear(name) : undefined;
  if (meant !== undefined) {
    const message = `there is no kind ${name}; did you mean ${meant}?`;
    return failure(message, `the same with ${meant}/${part}`);
  }
  const isPlaced = wanted.some((kind) => kind.resource.namespaced);
  const place = isPlaced ? ` in the namespace ${namespace}` : '';
  const message = `no ${words(wanted)} is called ${name}${place}`;
  const sameName = { fieldSelector: `metadata.name=${name.replace(/[\\,=]/g, '\\$&')}` };
  const namesakes = await objectsOf(client, wanted, () => sameName);
  const elsewhere = namesakes.flatMap(({ metadata }) => metadata.namespace ?? []);
  if (elsewhere.length > 0) {
    const places = [...new Set(elsewhere)].sort();
    const have = places.length === 1 ? ['namespace', 'has'] : ['namespaces', 'have'];
    const found = `the ${have.join(` ${joined(places, 'and')} `)} one`;
    const options = places.map((each) => `-n ${each}`);
    return failure(`${message}; ${found}`, `the same with ${joined(options, 'or')}`);
  }
  const others = resource === undefined && part === undefined ? otherKinds(wanted) : [];
  for (const other of others) {
    const at = other.resource.namespaced ? { namespace, ...sameName } : sameName;
    const [namesake] = await objectsOf(client, [other], () => at);
    if (namesake !== undefined) return unfit(name, name, other.resource, wanted, kubectl);
  }
  const beside = await objectsOf(client, wanted, ({ namespaced }) =>
    namespaced ? { namespace } : {},
  );
  const names = beside.map(({ metadata }) => metadata.name);
  const near = didYouMean(name, names);
  const isNoKind = resource === undefined && part !== undefined;
  const otherwise = isNoKind ? `, and ${name} is no kind that this command knows` : '';
  const hint = near === undefined ? otherwise : `; did you mean ${near}?`;
  return failure(`${message}${hint}`, listCommand(wanted, kubectl));
}

/** Kinds of Millrace that the command is not for. */
function otherKinds(wanted: readonly OfResource[]): readonly OfResource[] {
  return ownKinds.filter(({ resource }) =>
    wanted.every((each) => each.resource.kind !== resource.kind),
  );
}

/** Some objects of these kinds. None of a kind that is not served or may not be listed. */
async function objectsOf(
  client: Where['client'],
  kinds: readonly OfResource[],
  where: (resource: Resource) => ListOptions,
): Promise<readonly KubeObject[]> {
  const lists = kinds.map(async ({ resource }) => {
    try {
      const { items } = await client.list(resource, { ...where(resource), limit: 500 });
      return items;
    } catch (error) {
      if (hasCode(error, 'MR_API_NOT_FOUND') || hasCode(error, 'MR_API_FORBIDDEN')) return [];
      throw error;
    }
  });
  return (await Promise.all(lists)).flat();
}

/** Lists what may have been meant. */
function listCommand(wanted: readonly OfResource[], kubectl: string): string {
  const listable = wanted.map((kind) => kind.resource);
  const resource = listable.find(isOwn) ?? listable[0] ?? resources.JobFlow;
  const isAnyWork = wanted.length > 1 && resource.kind === resources.JobFlow.kind;
  const words = [
    ...[isOwn(resource) ? 'millrace' : kubectl, 'get'],
    ...(isAnyWork ? [] : [resource.plural]),
    ...(resource.namespaced ? ['-A'] : []),
  ];
  return words.join(' ');
}

function isOwn({ group, plural }: Resource): boolean {
  return ownKinds.some(({ resource }) => resource.group === group && resource.plural === plural);
}

function words(kinds: readonly OfResource[]): string {
  return joined(
    kinds.map(({ resource }) => resource.kind),
    'or',
  );
}

function withArticle(noun: string): string {
  return `${/^[AEIOU]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

function joined(names: readonly string[], word: 'and' | 'or'): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} ${word} ${last}`;
}
