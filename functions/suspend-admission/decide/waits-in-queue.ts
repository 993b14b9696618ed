/** Kueue's rule for what starts suspended (v0.19 jobframework, ApplyDefaultForSuspend). */
import type { JsonObject } from '#shared/domain/objects.ts';
import type { QueueFacts } from '../facts.ts';
import { queueOf } from '#shared/domain/queue-labels.ts';

/**
 * One difference: Kueue's own webhooks do not ask for the namespace of what has a label, while its
 * controller leaves alone what is in a namespace that it does not manage. It would wait for ever there.
 */
export function waitsInQueue(
  object: JsonObject,
  { isManaged, managesUnlabelled, owners }: QueueFacts,
): boolean {
  if (!isManaged) return false;
  // What is admitted with its owner never waits by itself, whatever its own label says.
  if (owners.some(({ queue }) => managesUnlabelled || queue !== undefined)) return false;
  return managesUnlabelled || queueOf(object) !== '';
}
