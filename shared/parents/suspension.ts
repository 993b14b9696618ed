import { heldWords } from '#shared/domain/held-note.ts';
import type { ObjectMeta } from '#shared/domain/objects.ts';
import { queuedWords } from '#shared/domain/queued-note.ts';

/** Why a parent is suspended. A policy or Kueue leaves a note; without one, a user suspended it. */
export function whySuspended<Reason extends string>(
  metadata: Pick<ObjectMeta, 'annotations'>,
  byUser: Reason,
): { readonly reason: 'HeldByPolicy' | 'Queued' | Reason; readonly message: string } {
  const held = heldWords(metadata);
  if (held !== undefined) return { reason: 'HeldByPolicy', message: held };
  const queued = queuedWords(metadata);
  return queued === undefined
    ? { reason: byUser, message: 'spec.suspend is true' }
    : { reason: 'Queued', message: queued };
}
