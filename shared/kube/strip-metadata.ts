import type { KubeObject } from '#shared/domain/objects.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * The object without the two parts of its metadata that are bulky and that no decision reads:
 * managedFields and the copy that kubectl keeps for client-side apply.
 */
export function stripMetadata(object: KubeObject): KubeObject {
  const metadata: KubeObject['metadata'] = without(object.metadata, 'managedFields');
  if (metadata.annotations?.[lastApplied] === undefined) return { ...object, metadata };
  const annotations = without(metadata.annotations, lastApplied);
  return { ...object, metadata: { ...metadata, annotations } };
}

function without<T extends object>(record: T, name: string): T {
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name)) as T;
}
