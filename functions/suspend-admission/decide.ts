/**
 * Gives a new object its default queue, and decides whether it starts suspended: because it waits in a queue of
 * Kueue, or because a policy holds it. An object that is submitted suspended is left to its submitter.
 */
import type { AdmissionDecision, Review } from '#shared/domain/admission-decision.ts';
import { heldWords } from '#shared/domain/held-note.ts';
import { isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject, KubeObject } from '#shared/domain/objects.ts';
import { annotations } from '#shared/domain/labels.ts';
import { queuedNote } from '#shared/domain/queued-note.ts';
import { governedObject } from '#shared/suspension/governed-object.ts';
import { holdOn } from './decide/hold-on.ts';
import { waitsInQueue } from './decide/waits-in-queue.ts';
import type { Facts } from './facts.ts';
import {
  annotationsOf,
  defaultQueue,
  isSuspended,
  labelsOf,
  queueLabel,
  queueOf,
} from '#shared/domain/queue-labels.ts';

export function decide(
  review: Pick<Review, 'object'>,
  facts: Facts,
  nowMs: number,
): AdmissionDecision {
  const { takesDefaultQueue = false } = facts.queue;
  const { object: submitted = {} } = review;
  const object = takesDefaultQueue ? inDefaultQueue(submitted) : submitted;
  const unchanged = { allowed: true, ...(takesDefaultQueue ? { object } : {}) } as const;
  if (isSuspended(object)) return unchanged;
  if (facts.queue.isEndless) {
    const message =
      'metadata.ownerReferences: the owners form a cycle, or a chain that is longer than Kueue follows';
    return { allowed: false, code: 403, reason: 'Forbidden', message };
  }
  if (waitsInQueue(object, facts.queue)) {
    if (queueOf(object) !== '') return { allowed: true, object: suspended(object, {}) };
    const note = { [annotations.queued]: queuedNote({ queue: '', message: withoutQueue }) };
    return { allowed: true, object: suspended(object, note), warnings: [withoutQueue] };
  }
  const governed = governedObject(object as unknown as KubeObject);
  const hold =
    governed === undefined ? undefined : holdOn(governed, { policies: facts.policies, nowMs });
  if (hold === undefined) return unchanged;
  const words = heldWords({ annotations: hold });
  return {
    allowed: true,
    object: suspended(object, hold),
    ...(words === undefined ? {} : { warnings: [words] }),
  };
}

const withoutQueue = `Kueue manages what names no queue too (manageJobsWithoutQueueName); give it the label ${queueLabel}`;

function inDefaultQueue(object: JsonObject): JsonObject {
  const labels = { ...labelsOf(object), [queueLabel]: defaultQueue };
  return { ...object, metadata: { ...fields(object['metadata']), labels } };
}

function suspended(object: JsonObject, annotations: Readonly<Record<string, string>>): JsonObject {
  const own = { ...annotationsOf(object), ...annotations };
  const metadata = fields(object['metadata']);
  return {
    ...object,
    metadata: Object.keys(own).length === 0 ? metadata : { ...metadata, annotations: own },
    spec: { ...fields(object['spec']), suspend: true },
  };
}

function fields(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
