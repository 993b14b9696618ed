import { stringify } from 'yaml';
import type { JsonObject } from '#shared/domain/objects.ts';

/** Manifests as one YAML stream, ready for `kubectl apply -f -`. The same manifests give the same bytes. */
export function manifestStream(manifests: readonly JsonObject[]): string {
  return manifests
    .map((manifest) => stringify(manifest, { lineWidth: 100, aliasDuplicateObjects: false }))
    .join('---\n');
}
