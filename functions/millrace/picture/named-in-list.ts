/** Finds the objects that the words of `get` and `delete` name. */
import type { Resource } from '#shared/domain/objects.ts';
import { kindsNamed, namedObject } from '../named-object.ts';
import { type ListedKind, listedKinds } from './listings.ts';
import { type PicturedKind, picturedKinds } from './pictured-kinds.ts';

/** If the first word is a kind, it is added to the names: `jobflow a b` is `jobflow/a jobflow/b`. */
export function namesIn(words: readonly string[]): readonly string[] {
  const [word = '', ...names] = words;
  const kinds = kindsNamed(word);
  if (kinds === undefined) return words;
  return names.flatMap((name) =>
    namedObject(name).resource === undefined
      ? kinds.map(({ kind }) => `${kind.toLowerCase()}/${name}`)
      : name,
  );
}

/** A name alone is that of work; the other kinds have to be named. */
export function kindsFor(name: string): readonly ListedKind[] {
  return namedObject(name).resource === undefined
    ? listedKinds.filter(({ resource }) => picturedAs(resource) !== undefined)
    : listedKinds;
}

export function picturedAs({ kind }: Resource): PicturedKind | undefined {
  return picturedKinds.find(({ resource }) => resource.kind === kind);
}
