/**
 * The parts of an object that a decision can depend on. Two versions with equal fingerprints lead to the
 * same decisions, so an update that leaves it unchanged enqueues nothing. Most updates are of that kind
 * (own status writes, heartbeats, counters), and each would cost a read.
 */
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { fieldsOf, listOf } from '#shared/domain/json-value.ts';
import { isReservedKey } from '#shared/domain/labels.ts';
import { controllerOf, type Json, type KubeObject } from '#shared/domain/objects.ts';
import { essenceOf, passedByEveryPod, podTrouble } from '#shared/domain/pod-trouble.ts';

/**
 * For an object that is decided about. Its status is Millrace's own write, so that run has already
 * decided.
 */
export function wishFingerprint(object: KubeObject): Json {
  return [...identity(object), ownAnnotations(object)];
}

/** For an object that is only specified, without a reported status. */
export function specFingerprint(object: KubeObject): Json {
  return identity(object);
}

export function jobFingerprint(job: KubeObject): Json {
  return [...identity(job), ownerOf(job), jobProgress(job)];
}

/**
 * For a Pod: only its problems, because its Job shows the rest of its life. Every Pod is scheduled and
 * creates its containers; what takes too long shows without an event.
 */
export function podFingerprint(pod: KubeObject): Json | undefined {
  const trouble = podTrouble(pod);
  return trouble === undefined || passedByEveryPod.has(trouble.reason)
    ? undefined
    : [trouble.reason, essenceOf(trouble)];
}

function identity({ metadata }: KubeObject): readonly Json[] {
  return [metadata.generation ?? 0, metadata.deletionTimestamp !== undefined];
}

/** The user's requests in annotations (a manual retry); other annotations do not matter. */
function ownAnnotations({ metadata }: KubeObject): Json {
  return Object.entries(metadata.annotations ?? {})
    .filter(([key]) => isReservedKey(key))
    .sort(([left], [right]) => compareTexts(left, right));
}

/** The transitions of a Job. The number of pods that run or retry does not affect decisions. */
function jobProgress({ status }: KubeObject): Json {
  const { active, ready, terminating, startTime, conditions } = fieldsOf(status);
  return [
    isPositive(active),
    isPositive(ready),
    isPositive(terminating),
    startTime !== undefined,
    listOf(conditions).map((condition) => {
      const { type, status: holds } = fieldsOf(condition);
      return [type ?? null, holds ?? null];
    }),
  ];
}

function ownerOf({ metadata }: KubeObject): Json {
  return controllerOf(metadata)?.uid ?? null;
}

function isPositive(count: Json | undefined): boolean {
  return typeof count === 'number' && count > 0;
}
