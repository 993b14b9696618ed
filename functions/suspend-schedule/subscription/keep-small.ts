import { isReservedKey } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { stripMetadata } from '#shared/domain/strip-metadata.ts';

/** Keeps labels, which select it, and reserved annotations, which apply to everything in it. */
export function keepOfNamespace(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = stripMetadata(object);
  const own = Object.entries(metadata.annotations ?? {}).filter(([key]) => isReservedKey(key));
  return { apiVersion, kind, metadata: { ...metadata, annotations: Object.fromEntries(own) } };
}

export function keepOfPriorityClass(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = stripMetadata(object);
  const { value, globalDefault } = object as {
    readonly value?: number;
    readonly globalDefault?: boolean;
  };
  const kept = { apiVersion, kind, metadata, value, globalDefault };
  return kept;
}
