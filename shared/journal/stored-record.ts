import { journalFormat, type JournalRecord } from './journal.ts';

const kinds: ReadonlySet<unknown> = new Set<JournalRecord['kind']>(['event', 'decision', 'review']);

/** A record from the store. Undefined: it is invalid or of another format. */
export function parseRecord(text: string): JournalRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('format' in value) || value.format !== journalFormat || !('kind' in value))
    return undefined;
  return kinds.has(value.kind) ? (value as JournalRecord) : undefined;
}
