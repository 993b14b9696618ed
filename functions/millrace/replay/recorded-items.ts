/** What recorded events asked functions to look at, each once, under the event that asked for it last. */
import { asEventId } from '#shared/domain/objects.ts';
import { type WorkItem, workItemIdentity } from '#shared/domain/work-item.ts';
import type { RecordedEntry } from '#shared/journal/recording.ts';
import { directItems, workItem } from '#shared/subscription/route.ts';
import type { Subscription } from '#shared/subscription/subscription.ts';

export interface RecordedItem {
  readonly item: WorkItem;
  /**
   * A decision that came to its end is recorded since the event. False also where it wrote nothing: that is not
   * recorded.
   */
  readonly isProcessed: boolean;
}

/** Outcomes after which nothing is left to do (shared/runtime/function/decision-round.ts). */
const ends: ReadonlySet<string> = new Set(['applied', 'unchanged', 'gone']);

/**
 * What the entries that are meant asked for, in the order of the events. What an index alone would lead to is known by its decisions: an event of another object
 * that nobody has decided about yet is not found.
 */
export async function recordedItems(
  entries: AsyncIterable<RecordedEntry>,
  subscriptions: readonly Subscription[],
  isMeant: (entry: RecordedEntry) => boolean,
): Promise<readonly RecordedItem[]> {
  const found = new Map<string, RecordedItem>();
  const note = (entry: RecordedEntry, item: WorkItem, isProcessed: boolean): void => {
    const identity = workItemIdentity(item);
    // What follows shows what became of an item that is meant.
    if (!found.has(identity) && !isMeant(entry)) return;
    found.delete(identity);
    found.set(identity, { item, isProcessed });
  };
  for await (const entry of entries) {
    if (entry.kind === 'event') {
      for (const item of directItems(subscriptions, entry.event)) note(entry, item, false);
    } else {
      const { function: name, key, cause } = entry;
      note(entry, workItem(name, key, { id: asEventId(cause) }), ends.has(entry.outcome));
    }
  }
  return [...found.values()];
}
