/** The annotation `millrace.dev/queued`: in which queue of Kueue an object waits, and why. */
import { parsedObject } from './json-value.ts';
import { annotations } from './labels.ts';
import type { ObjectMeta } from './objects.ts';
import { printable } from './printable.ts';
import { shortened } from './wording.ts';

export interface QueuedNote {
  /** Name of the LocalQueue. Empty: the object names none. */
  readonly queue: string;
  /** Kueue's words, with what is missing if Kueue says so. */
  readonly message: string;
}

export const longestQueuedMessage = 700;

export function queuedNote({ queue, message }: QueuedNote): string {
  return JSON.stringify({ queue, message: shortened(message, longestQueuedMessage) });
}

/** The queue that the note names. Undefined: there is no note, or it names none. */
export function notedQueue(metadata: Pick<ObjectMeta, 'annotations'>): string | undefined {
  const { queue } = parsedObject(metadata.annotations?.[annotations.queued]) ?? {};
  return typeof queue === 'string' && queue !== '' ? queue : undefined;
}

/**
 * A sentence for people; undefined if the object waits in no queue. Any user may write such a note, and the
 * status schema bounds the text.
 */
export function queuedWords(metadata: Pick<ObjectMeta, 'annotations'>): string | undefined {
  const { queue, message } = parsedObject(metadata.annotations?.[annotations.queued]) ?? {};
  if (typeof queue !== 'string' || typeof message !== 'string' || queue.length > 253) {
    return undefined;
  }
  const words =
    queue === '' ? `waits for a queue: ${message}` : `waits in the queue ${queue}: ${message}`;
  return shortened(printable(words), longestQueuedMessage + 300);
}
