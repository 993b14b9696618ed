import type { ObjectName } from '#shared/domain/objects.ts';
import type {
  CutOffDecision,
  RecordedDecision,
  RecordedEntry,
  RecordedEvent,
} from '#shared/journal/recording.ts';
import type { NamedObject } from '../named-object.ts';
import type { EntryChoice } from './journal-options.ts';

/** A decision with the event that led to it. */
export interface ExplainedDecision {
  readonly decision: RecordedDecision | CutOffDecision;
  /** Absent: it is no longer in the journal, or never was. */
  readonly event?: RecordedEvent;
}

/** Limit for remembered events without a decision. */
const mostEvents = 50_000;

/** Decisions about the named object, and those that its events led to. Without a name, all decisions. */
export async function* chosenDecisions(
  entries: AsyncIterable<RecordedEntry>,
  named: NamedObject | undefined,
  choice: EntryChoice,
): AsyncGenerator<ExplainedDecision> {
  const events = new Map<string, RecordedEvent>();
  for await (const entry of entries) {
    if (entry.kind === 'event') {
      events.delete(entry.event.id);
      events.set(entry.event.id, entry);
      const [oldest] = events.keys();
      if (events.size > mostEvents && oldest !== undefined) events.delete(oldest);
      continue;
    }
    const event = events.get(entry.cause);
    if (!isChosen(entry, choice) || !isOfType(event, choice)) continue;
    const isMeant = [entry.key, ...(event === undefined ? [] : [event.event])].some((object) =>
      isNamed(object, named, choice.namespace),
    );
    if (isMeant) yield { decision: entry, ...(event === undefined ? {} : { event }) };
  }
}

/** The same with their events, each before its first decision, as a recording of its own. */
export async function* chosenEntries(
  ...chosen: Parameters<typeof chosenDecisions>
): AsyncGenerator<RecordedEntry> {
  const yielded = new Set<string>();
  for await (const { decision, event } of chosenDecisions(...chosen)) {
    if (event !== undefined && !yielded.has(event.position)) yield event;
    if (event !== undefined) yielded.add(event.position);
    yield decision;
  }
}

/** Whether id, time, type, function and outcome fit. An event has neither function nor outcome. */
export function isChosen(entry: RecordedEntry, choice: EntryChoice): boolean {
  const { id, function: name, from = -Infinity, to = Infinity, outcome = '' } = choice;
  const atMs = entry.kind === 'event' ? entry.atMs : entry.nowMs;
  if (atMs < from || atMs > to) return false;
  if (entry.kind === 'event') {
    return (id === undefined || entry.event.id === id) && isOfType(entry, choice);
  }
  if (!entry.outcome.startsWith(outcome)) return false;
  if (name !== undefined && entry.function !== name) return false;
  return id === undefined || entry.cause === id || entry.position === id;
}

function isOfType(event: RecordedEvent | undefined, { type }: EntryChoice): boolean {
  return type === undefined || event?.event.type.includes(type) === true;
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
