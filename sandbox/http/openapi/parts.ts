/** What the served kinds of one version add to its document. */
import type { JsonObject } from '#shared/domain/objects.ts';
import type { ServedVersion } from '../discovery.ts';
import { addKind, addType, type Definitions } from './definitions.ts';
import { addPaths, addVirtualPath } from './paths.ts';

export interface Parts {
  readonly definitions: Definitions;
  readonly paths: Readonly<Record<string, JsonObject>>;
}

export function partsOf({ types, virtual }: ServedVersion): Parts {
  const definitions: Definitions = {};
  const paths: Record<string, JsonObject> = {};
  for (const type of types) {
    addType(definitions, type);
    addPaths(paths, type);
  }
  for (const resource of virtual) {
    addKind(definitions, resource);
    addVirtualPath(paths, resource);
  }
  return { definitions, paths };
}
