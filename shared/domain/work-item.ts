import type { EventId, ObjectKey } from './objects.ts';

/** One thing to look at: names an object and never carries its content (law 1). */
export interface WorkItem {
  /** The function that is to look at it. */
  readonly function: string;
  readonly key: ObjectKey;
  /** The event that last asked for it; the correlation id of everything that follows. */
  readonly cause: EventId;
  /** W3C trace context of that event. */
  readonly traceparent?: string;
}

/** At most one item runs and one waits per identity (design: "Work queue"). */
export function workItemIdentity(item: Pick<WorkItem, 'function' | 'key'>): string {
  return `${item.function}/${item.key.uid}`;
}
