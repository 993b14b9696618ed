import type { Json, JsonObject } from '#shared/domain/objects.ts';

/** What of a Pod template a placement changes. */
export interface PlacedPod {
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Json[];
  readonly nodeAffinity?: JsonObject;
}
