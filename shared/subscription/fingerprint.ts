/**
 * What of an object a decision can depend on. Two versions of one object with equal fingerprints lead
 * to the same decisions. An update that leaves it as it was wakes nobody: most updates are of that sort
 * (own status writes, heartbeats, counters), and each would cost a read.
 */
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { fieldsOf, listOf } from '#shared/domain/json-value.ts';
import { isReservedKey } from '#shared/domain/labels.ts';
import { controllerOf, type Json, type KubeObject } from '#shared/domain/objects.ts';
import { creating, essenceOf, podTrouble } from '#shared/domain/pod-trouble.ts';

/** Of an object that we decide about. Its status is our own write: the writing run has decided already. */
export function wishFingerprint(object: KubeObject): Json {
  return [...identity(object), ownAnnotations(object)];
}

/** What somebody wrote and nobody reports on. */
export function specFingerprint(object: KubeObject): Json {
  return identity(object);
}

export function jobFingerprint(job: KubeObject): Json {
  return [...identity(job), ownerOf(job), jobProgress(job)];
}

/**
 * Of a Pod only what is wrong with it; its Job shows the rest of its life. The creation of
 * containers is in the life of every Pod; that it lasts shows without an event.
 */
export function podFingerprint(pod: KubeObject): Json | undefined {
  const trouble = podTrouble(pod);
  return trouble === undefined || trouble.reason === creating
    ? undefined
    : [trouble.reason, essenceOf(trouble)];
}

function identity({ metadata }: KubeObject): readonly Json[] {
  return [metadata.generation ?? 0, metadata.deletionTimestamp !== undefined];
}

/** The user's wishes in annotations (a manual retry); others are no business of ours. */
function ownAnnotations({ metadata }: KubeObject): Json {
  return Object.entries(metadata.annotations ?? {})
    .filter(([key]) => isReservedKey(key))
    .sort(([left], [right]) => compareTexts(left, right));
}

/** The edges of a Job's life; how many pods run or retry in between decides nothing. */
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
