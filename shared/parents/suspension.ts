import { heldWords } from '#shared/domain/held-note.ts';
import type { ObjectMeta } from '#shared/domain/objects.ts';
import { queueLabel } from '#shared/domain/queue-labels.ts';
import { queuedWords } from '#shared/domain/queued-note.ts';

/**
 * Why a parent is suspended. A policy or Kueue leaves a note. Without one it waits in its queue, which Kueue has not
 * reported on yet, or a user suspended it.
 */
export function whySuspended<Reason extends string>(
  metadata: Pick<ObjectMeta, 'annotations' | 'labels'>,
  byUser: Reason,
): { readonly reason: 'HeldByPolicy' | 'Queued' | Reason; readonly message: string } {
  const held = heldWords(metadata);
  if (held !== undefined) return { reason: 'HeldByPolicy', message: held };
  const queue = metadata.labels?.[queueLabel] ?? '';
  const queued =
    queuedWords(metadata) ?? (queue === '' ? undefined : `waits in the queue ${queue}`);
  return queued === undefined
    ? { reason: byUser, message: 'spec.suspend is true' }
    : { reason: 'Queued', message: queued };
}
