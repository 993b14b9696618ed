import { annotations } from './labels.ts';
import type { ObjectMeta } from './objects.ts';

/** What users and admission say to Millrace in annotations; the rest may be large and is nobody's here. */
export function wishesIn(all: ObjectMeta['annotations'] = {}): Pick<ObjectMeta, 'annotations'> {
  const known = [annotations.retry, annotations.submitter].flatMap((key) => {
    const value = all[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return known.length === 0 ? {} : { annotations: Object.fromEntries(known) };
}
