/**
 * Who submitted an object, as an annotation of it: what a SubjectAccessReview needs to ask later what
 * that user may still do. Admission writes it and lets nobody else.
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
 * `unknown`: there is an annotation and nobody can say who is meant. Nobody's rights are those of
 * somebody who cannot be named, so it is not the same as none.
 */
export type RecordedSubmitter = ReviewUser | 'unknown';

/** Undefined: nobody is recorded, since admission was off when the object was created. */
export function submitterOf(
  metadata: Pick<ObjectMeta, 'annotations'>,
): RecordedSubmitter | undefined {
  return recordedSubmitter(metadata.annotations?.[annotations.submitter]);
}

/** Of the text of the annotation. */
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
    return undefined; // nobody that could be named
  }
}
