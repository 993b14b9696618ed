import type { NewObject } from '#shared/domain/objects.ts';

/** A trial needs no owner, and none exists yet. */
export function withoutOwner(object: NewObject): NewObject {
  const { name, namespace, labels, annotations } = object.metadata;
  const metadata = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
  return { ...object, metadata };
}
