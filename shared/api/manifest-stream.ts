import { stringify } from 'yaml';
import type { JsonObject } from '#shared/domain/objects.ts';

const options = {
  lineWidth: 100,
  aliasDuplicateObjects: false,
  // kubectl and Helm read YAML 1.1, in which `on` and `no` are booleans.
  compat: 'yaml-1.1',
} as const;

/** Manifests as one YAML stream, ready for `kubectl apply -f -`. The same manifests give the same bytes. */
export function manifestStream(manifests: readonly JsonObject[]): string {
  return manifests.map((manifest) => stringify(manifest, options)).join('---\n');
}
