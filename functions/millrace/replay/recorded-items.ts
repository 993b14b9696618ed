/** The work items of recorded events, each once, under its latest event. */
import { asEventId } from '#shared/domain/objects.ts';
import { type WorkItem, workItemIdentity } from '#shared/domain/work-item.ts';
import type { RecordedEntry } from '#shared/journal/recording.ts';
import { directItems, workItem } from '#shared/subscription/route.ts';
import type { Subscription } from '#shared/subscription/subscription.ts';

export interface RecordedItem {
  readonly item: WorkItem;
  /**
   * A finished decision is recorded after the event. False also if the decision wrote nothing, because then it is not
   * recorded.
   */
  readonly isProcessed: boolean;
}

/** Outcomes that leave nothing to do (shared/runtime/function/decision-round.ts). */
const ends: ReadonlySet<string> = new Set(['applied', 'unchanged', 'gone']);

/**
 * The work items of the chosen entries, in the order of the events. Items that only an index finds are known by their
 * decisions. If no decision was made yet, such an item is not found.
 */
export async function recordedItems(
  entries: AsyncIterable<RecordedEntry>,
  subscriptions: readonly Subscription[],
  isMeant: (entry: RecordedEntry) => boolean,
): Promise<readonly RecordedItem[]> {
  const found = new Map<string, RecordedItem>();
  const note = (entry: RecordedEntry, item: WorkItem, isProcessed: boolean): void => {
    const identity = workItemIdentity(item);
    // Later entries show what became of a chosen item.
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
