import { annotations, isUnknownAnnotation } from './labels.ts';
import type { ObjectMeta } from './objects.ts';

const read: readonly string[] = [
  annotations.retry,
  annotations.submitter,
  annotations.held,
  annotations.queued,
  annotations.givenUp,
];

/**
 * The annotations that decisions read, and unknown ones with Millrace's prefix, without their values. The rest may be
 * large and is not copied.
 */
export function wishesIn(all: ObjectMeta['annotations'] = {}): Pick<ObjectMeta, 'annotations'> {
  const kept = Object.entries(all).flatMap(
    ([key, value]): readonly (readonly [string, string])[] => {
      if (read.includes(key)) return [[key, value]];
      return isUnknownAnnotation(key) ? [[key, '']] : [];
    },
  );
  return kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) };
}
