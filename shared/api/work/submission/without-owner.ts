import type { NewObject } from '#shared/domain/objects.ts';

/** What is only tried out needs no owner, and there is none yet. */
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
