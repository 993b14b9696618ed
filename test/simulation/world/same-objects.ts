import type { KubeObject } from '#shared/domain/objects.ts';

/** Whether a view holds the very versions that there are. */
export function areSame(seen: readonly KubeObject[], there: readonly KubeObject[]): boolean {
  const versions = new Map(seen.map(({ metadata }) => [metadata.uid, metadata.resourceVersion]));
  return (
    versions.size === there.length &&
    there.every(({ metadata }) => versions.get(metadata.uid) === metadata.resourceVersion)
  );
}
