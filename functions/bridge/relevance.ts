/**
 * What of an object a decision can depend on. An update that leaves it as it was wakes nobody: most
 * updates are of that sort (own status writes, heartbeats, counters), and each would cost a read.
 */
import { isReservedKey } from '#shared/domain/labels.ts';
import { textHash } from '#shared/domain/hash.ts';
import { controllerOf, type Json, type KubeObject } from '#shared/domain/objects.ts';
import { creating, essenceOf, podTrouble } from '#shared/domain/pod-trouble.ts';
import type { WatchedKind } from './watch-set.ts';

/** Pure. Two versions of one object with equal fingerprints lead to the same decisions. */
export function fingerprintOf(kind: WatchedKind, object: KubeObject): string {
  return textHash(JSON.stringify(relevantParts(kind, object)));
}

/**
 * Whether an object of this kind with this fingerprint is as if it were not there: its coming and its
 * going are no news. Of a Pod only what is wrong with it and that this passes; the rest of its life is
 * told by its Job.
 */
export function isOrdinary(kind: WatchedKind, fingerprint: string | undefined): boolean {
  return kind === 'Pod' && (fingerprint === undefined || fingerprint === ordinaryPod);
}

const ordinaryPod = textHash(JSON.stringify([]));

/** In a fixed order, so that their text can be compared. */
function relevantParts(kind: WatchedKind, object: KubeObject): readonly Json[] {
  const { deletionTimestamp, generation } = object.metadata;
  const deleting = deletionTimestamp !== undefined;
  switch (kind) {
    case 'JobFlow':
      return [generation ?? 0, deleting, ownAnnotations(object), recordedSteps(object)];
    case 'JobTemplate':
      return [generation ?? 0, deleting];
    case 'Job':
      return [generation ?? 0, deleting, ownerOf(object), jobProgress(object)];
    case 'Pod':
      return podProblem(object);
  }
}

/** The user's wishes in annotations (a manual retry); others are no business of ours. */
function ownAnnotations({ metadata }: KubeObject): Json {
  return Object.entries(metadata.annotations ?? {})
    .filter(([key]) => isReservedKey(key))
    .sort(([left], [right]) => (left < right ? -1 : 1));
}

/**
 * The record of what the steps came to. It is our own write, and still a reason to look again: what
 * follows a recorded result (a child's TTL, a dependant) may only be done once it is recorded.
 */
function recordedSteps({ status }: KubeObject): Json {
  return listOf(fieldsOf(status)['jobStatusList']).map((step) => {
    const { name, state, attempt } = fieldsOf(step);
    return [name ?? null, state ?? null, attempt ?? 0];
  });
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

/** The creation of containers is in the life of every Pod; that it lasts shows without an event. */
function podProblem(pod: KubeObject): readonly Json[] {
  const trouble = podTrouble(pod);
  return trouble === undefined || trouble.reason === creating
    ? []
    : [trouble.reason, essenceOf(trouble)];
}

function ownerOf({ metadata }: KubeObject): Json {
  return controllerOf(metadata)?.uid ?? null;
}

function isPositive(count: Json | undefined): boolean {
  return typeof count === 'number' && count > 0;
}

type Fields = Readonly<Record<string, Json | undefined>>;

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}
