import { annotations } from './labels.ts';
import type { ObjectMeta } from './objects.ts';

/** The annotations that decisions about an object of ours read. The rest may be large and is not copied. */
export function wishesIn(all: ObjectMeta['annotations'] = {}): Pick<ObjectMeta, 'annotations'> {
  const known = [annotations.retry, annotations.submitter, annotations.held].flatMap((key) => {
    const value = all[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return known.length === 0 ? {} : { annotations: Object.fromEntries(known) };
}
