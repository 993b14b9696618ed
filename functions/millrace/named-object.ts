/** A user names an object as NAME or KIND/NAME, optionally followed by /PART (a step, a node). */
import { kinds } from '#functions/list.ts';
import { didYouMean } from '#shared/api/fault.ts';
import { type Resource, resourceKey } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { CommandFailure, exitCodes } from './command-failure.ts';

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

/** Throws CommandFailure if there is no name in it, such as of a variable that is empty. */
export function namedObject(text: string): NamedObject {
  const [first = '', ...rest] = text.split('/');
  const resource = rest.length === 0 ? undefined : words.get(first.toLowerCase());
  const [name = '', ...behind] = resource === undefined ? [first, ...rest] : rest;
  if (name === '') {
    const next = 'write NAME or KIND/NAME, such as hello or jobflow/hello';
    throw new CommandFailure(exitCodes.usage, `"${text}" names no object`, next);
  }
  // A component of an AppWrapper has a slash in its name: Job/wrapped.
  const part = behind.join('/');
  return {
    ...(resource === undefined ? {} : { resource }),
    name,
    ...(part === '' ? {} : { part }),
  };
}

/** The kind that a misspelt word most likely means, as users write it. */
export function kindNear(word: string): string | undefined {
  const near = didYouMean(word, words.keys());
  return near === undefined ? undefined : words.get(near)?.kind.toLowerCase();
}

/** The kinds that a word without a name means: `mjf`, or `mjf,mdj`. Undefined: it is none. */
export function kindsNamed(word: string): readonly Resource[] | undefined {
  const found = word.split(',').map((each) => words.get(each.toLowerCase()));
  return found.every((each) => each !== undefined) ? found : undefined;
}
