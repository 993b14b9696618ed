/** The shape of the objects in an answer. */
import type { Json, JsonObject, KubeObject } from '#shared/domain/objects.ts';
import type { ResourceType } from '../registry/resource-type.ts';
import type { Accepted } from './accept.ts';

export interface Shaping {
  readonly type: ResourceType;
  readonly accepted: Accepted;
  /** The part of each object in the rows of a Table (metav1.TableOptions). */
  readonly includeObject: 'None' | 'Metadata' | 'Object';
  readonly nowMs: number;
}

/** metav1.PartialObjectMetadata. */
export function partialObject({ metadata }: KubeObject, { version }: Accepted): JsonObject {
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: `meta.k8s.io/${version ?? 'v1'}`,
    metadata: metadata as unknown as Json,
  };
}
