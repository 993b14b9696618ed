/** The names in a journal, for a hint about a misspelt one. */
import { didYouMean } from '#shared/api/fault.ts';
import type { RecordedEntry } from '#shared/journal/recording.ts';
import type { NamedObject } from '../named-object.ts';

/** Adds the name of what each entry is about to `names`. */
export async function* notingNames(
  entries: AsyncIterable<RecordedEntry>,
  names: Set<string>,
): AsyncGenerator<RecordedEntry> {
  for await (const entry of entries) {
    names.add((entry.kind === 'event' ? entry.event : entry.key).name);
    yield entry;
  }
}

/** Empty if no recorded name is near. */
export function nearHint(named: NamedObject | undefined, names: ReadonlySet<string>): string {
  if (named === undefined || names.has(named.name)) return '';
  const near = didYouMean(named.name, names);
  return near === undefined ? '' : `; did you mean ${near}?`;
}
