/** How a user names an object: NAME or KIND/NAME, optionally followed by /PART (a step, a node). */
import { kinds } from '#functions/list.ts';
import { type Resource, resourceKey } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';

export interface NamedObject {
  /** Absent: any kind. */
  readonly resource?: Resource;
  readonly name: string;
  /** A step of a JobFlow, a node of a DaemonJob. */
  readonly part?: string;
}

/** Names of kinds, as in kubectl, in lower case. */
const words: ReadonlyMap<string, Resource> = new Map(
  [
    ...kinds.map(({ resource, shortNames }) => ({ resource, shortNames })),
    { resource: resources.Job, shortNames: [] },
    { resource: resources.Pod, shortNames: ['po'] },
    { resource: resources.Workload, shortNames: ['wl'] },
  ].flatMap(({ resource, shortNames }) =>
    [resource.kind.toLowerCase(), resource.plural, resourceKey(resource)]
      .concat(shortNames)
      .map((word) => [word, resource] as const),
  ),
);

export function namedObject(text: string): NamedObject {
  const [first = '', ...rest] = text.split('/');
  const resource = rest.length === 0 ? undefined : words.get(first.toLowerCase());
  const [name = '', part] = resource === undefined ? [first, ...rest] : rest;
  return {
    ...(resource === undefined ? {} : { resource }),
    name,
    ...(part === undefined || part === '' ? {} : { part }),
  };
}

/** The kind that a word without a name means. */
export function kindNamed(word: string): Resource | undefined {
  return words.get(word.toLowerCase());
}
