import type { ObjectName } from '#shared/domain/objects.ts';
import type { EventReference } from '#shared/events/event-reference.ts';
import type { CutOffDecision, RecordedDecision, RecordedEntry } from '#shared/journal/recording.ts';
import type { NamedObject } from '../named-object.ts';
import type { EntryChoice } from './journal-options.ts';

/** A decision with the event that led to it. */
export interface ExplainedDecision {
  readonly decision: RecordedDecision | CutOffDecision;
  /** Absent: it is not in the journal any more, or was never. */
  readonly event?: EventReference;
}

/** Events without a decision yet that are remembered. */
const mostEvents = 50_000;

/** The decisions about the named object, and those that an event of it led to. Without a name all. */
export async function* chosenDecisions(
  entries: AsyncIterable<RecordedEntry>,
  named: NamedObject | undefined,
  choice: EntryChoice,
): AsyncGenerator<ExplainedDecision> {
  const events = new Map<string, EventReference>();
  for await (const entry of entries) {
    if (entry.kind === 'event') {
      events.delete(entry.event.id);
      events.set(entry.event.id, entry.event);
      const [oldest] = events.keys();
      if (events.size > mostEvents && oldest !== undefined) events.delete(oldest);
      continue;
    }
    const event = events.get(entry.cause);
    if (choice.function !== undefined && entry.function !== choice.function) continue;
    const isMeant = [entry.key, ...(event === undefined ? [] : [event])].some((object) =>
      isNamed(object, named, choice.namespace),
    );
    if (isMeant) yield { decision: entry, ...(event === undefined ? {} : { event }) };
  }
}

export function isNamed(
  object: ObjectName & { readonly kind: string },
  named: NamedObject | undefined,
  namespace: string | undefined,
): boolean {
  if (namespace !== undefined && object.namespace !== '' && object.namespace !== namespace) {
    return false;
  }
  if (named === undefined) return true;
  return (
    object.name === named.name &&
    (named.resource === undefined || object.kind === named.resource.kind)
  );
}
