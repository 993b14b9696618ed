import type { KubeObject } from './objects.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * The object without the two parts of its metadata that are bulky and that no decision reads:
 * managedFields and the copy that kubectl keeps for client-side apply. The same object when it has neither.
 */
export function stripMetadata(object: KubeObject): KubeObject {
  const { annotations } = object.metadata;
  const copied = annotations !== undefined && lastApplied in annotations;
  if (!copied && !('managedFields' in object.metadata)) return object;
  const metadata: KubeObject['metadata'] = without(object.metadata, 'managedFields');
  if (!copied) return { ...object, metadata };
  return { ...object, metadata: { ...metadata, annotations: without(annotations, lastApplied) } };
}

function without<T extends object>(record: T, name: string): T {
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name)) as T;
}
