/** Kueue's rule for objects that start suspended (v0.19 jobframework, ApplyDefaultForSuspend). */
import type { JsonObject } from '#shared/domain/objects.ts';
import type { QueueFacts } from '../facts.ts';
import { queueOf } from '#shared/domain/queue-labels.ts';

/**
 * One difference: for a labelled object Kueue's webhooks do not check the namespace. But its controller ignores
 * namespaces that it does not manage, so such an object would wait there for ever.
 */
export function waitsInQueue(
  object: JsonObject,
  { isManaged, managesUnlabelled, owners }: QueueFacts,
): boolean {
  if (!isManaged) return false;
  // An object that is admitted with its owner never waits by itself, even with a label of its own.
  if (owners.some(({ queue }) => managesUnlabelled || queue !== undefined)) return false;
  return managesUnlabelled || queueOf(object) !== '';
}
