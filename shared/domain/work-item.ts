import type { EventId, ObjectKey } from './objects.ts';

/** One object to look at. It names the object and never carries its content (law 1). */
export interface WorkItem {
  /** The function that looks at it. */
  readonly function: string;
  readonly key: ObjectKey;
  /** The event that last enqueued it, used as correlation id for everything that follows. */
  readonly cause: EventId;
  /** W3C trace context of that event. */
  readonly traceparent?: string;
}

/** For each identity, at most one item runs and one waits (design: "Work queue"). */
export function workItemIdentity(item: Pick<WorkItem, 'function' | 'key'>): string {
  return `${item.function}/${item.key.uid}`;
}
