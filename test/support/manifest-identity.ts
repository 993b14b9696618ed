import { parseAllDocuments } from 'yaml';
import type { JsonObject } from '#shared/domain/objects.ts';

export interface InstalledManifest extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: JsonObject & { readonly name: string; readonly namespace?: string };
}

export function manifestsIn(stream: string): readonly InstalledManifest[] {
  return parseAllDocuments(stream)
    .map((each) => each.toJS() as InstalledManifest | null)
    .filter((each) => each !== null);
}

/** Manifests by identity. Throws for a duplicate. */
export function byIdentity(
  manifests: readonly InstalledManifest[],
): Readonly<Record<string, InstalledManifest>> {
  const found: Record<string, InstalledManifest> = {};
  for (const each of manifests) {
    const { namespace = '', name } = each.metadata;
    const identity = `${each.apiVersion} ${each.kind} ${namespace}/${name}`;
    if (identity in found) throw new Error(`${identity} is there twice`);
    found[identity] = each;
  }
  return found;
}
