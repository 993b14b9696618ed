import type { JsonObject, NewObject } from '#shared/domain/objects.ts';

export function specOf({ spec }: NewObject): JsonObject {
  return spec as JsonObject;
}
