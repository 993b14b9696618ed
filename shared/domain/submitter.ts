/**
 * The user who submitted an object, kept in an annotation. A SubjectAccessReview needs it to check
 * that user's rights later. Only admission may write it.
 */
import type { ReviewUser } from './admission-decision.ts';
import { compareTexts } from './compare-texts.ts';
import { isObject } from './json-value.ts';
import { annotations } from './labels.ts';
import type { Json, ObjectMeta } from './objects.ts';

/** The same user gives the same text. */
export function submitterText({ username, uid, groups, extra }: ReviewUser): string {
  const known = Object.entries(extra).toSorted(([left], [right]) => compareTexts(left, right));
  return JSON.stringify({
    username,
    ...(uid === undefined ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(known.length === 0 ? {} : { extra: Object.fromEntries(known) }),
  });
}

/**
 * `unknown`: the annotation exists but names no user. That is not the same as no annotation, because
 * the rights of an unnamed user cannot be checked.
 */
export type RecordedSubmitter = ReviewUser | 'unknown';

/** Undefined: no user is recorded, because admission was off when the object was created. */
export function submitterOf(
  metadata: Pick<ObjectMeta, 'annotations'>,
): RecordedSubmitter | undefined {
  return recordedSubmitter(metadata.annotations?.[annotations.submitter]);
}

/** Reads the annotation's text. */
export function recordedSubmitter(text: string | undefined): RecordedSubmitter | undefined {
  return text === undefined ? undefined : (parsed(text) ?? 'unknown');
}

function parsed(text: string): ReviewUser | undefined {
  const value = parseJson(text);
  if (!isObject(value)) return undefined;
  const { username, uid, groups = [], extra = {} } = value;
  if (typeof username !== 'string' || username === '' || !isTexts(groups)) return undefined;
  if (uid !== undefined && typeof uid !== 'string') return undefined;
  if (!isObject(extra) || !Object.values(extra).every(isTexts)) return undefined;
  return {
    username,
    ...(uid === undefined ? {} : { uid }),
    groups,
    extra: extra as ReviewUser['extra'],
  };
}

function isTexts(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined; // names no user
  }
}
