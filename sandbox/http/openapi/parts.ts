/** The parts of the served kinds in a document of either version. */
import type { JsonObject } from '#shared/domain/objects.ts';
import type { ServedVersion } from '../discovery.ts';
import { addKind, addType, type Definitions } from './definitions.ts';
import { addPaths, addVirtualPath, type Dialect } from './paths.ts';

export interface Parts {
  readonly definitions: Definitions;
  readonly paths: Readonly<Record<string, JsonObject>>;
}

export function partsOf(versions: readonly ServedVersion[], dialect: Dialect): Parts {
  const definitions: Definitions = {};
  const paths: Record<string, JsonObject> = {};
  for (const { types, virtual } of versions) {
    for (const type of types) {
      addType(definitions, type);
      addPaths(paths, type, dialect);
    }
    for (const resource of virtual) {
      addKind(definitions, resource);
      addVirtualPath(paths, resource, dialect);
    }
  }
  return { definitions, paths };
}
