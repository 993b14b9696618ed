/** The annotation `millrace.dev/queued`: in which queue of Kueue an object waits, and why. */
import { parsedObject } from './json-value.ts';
import { annotations } from './labels.ts';
import type { ObjectMeta } from './objects.ts';
import { printable } from './printable.ts';
import { shortened } from './wording.ts';

export interface QueuedNote {
  /** Name of the LocalQueue; empty: it names none. */
  readonly queue: string;
  /** In Kueue's words, with what is missing where Kueue says it. */
  readonly message: string;
}

export const longestQueuedMessage = 700;

export function queuedNote({ queue, message }: QueuedNote): string {
  return JSON.stringify({ queue, message: shortened(message, longestQueuedMessage) });
}

/**
 * For people; undefined when it waits in no queue. Anybody may write such a note, and the words go into a status
 * whose schema bounds them.
 */
export function queuedWords(metadata: Pick<ObjectMeta, 'annotations'>): string | undefined {
  const { queue, message } = parsedObject(metadata.annotations?.[annotations.queued]) ?? {};
  if (typeof queue !== 'string' || typeof message !== 'string' || queue.length > 253) {
    return undefined;
  }
  const told =
    queue === '' ? `waits for a queue: ${message}` : `waits in the queue ${queue}: ${message}`;
  return shortened(printable(told), longestQueuedMessage + 300);
}
