import type { KubeObject } from './objects.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Returns the object without two bulky parts of its metadata that no decision reads. These are
 * managedFields and kubectl's copy for client-side apply. Returns the same object if it has neither.
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
