/** CloudEvents of Millrace: the changed object, never its content (law 1). */
import type { EventId, OwnerReference, ResourceVersion, Uid } from '#shared/domain/objects.ts';

export type ChangeKind = 'changed' | 'deleted';

/** The attributes and data of one CloudEvent, as it is passed inside Millrace. */
export interface EventReference {
  /**
   * `<uid>.<resourceVersion>`, with `.deleted` for an observed deletion or `.gone` for an inferred one.
   */
  readonly id: EventId;
  /** `/millrace/<cluster uid>/<group>/<version>/<plural>`. */
  readonly source: string;
  /** `dev.millrace.<kind>.<changed|deleted>.v1`. */
  readonly type: string;
  /** The API path of the object. */
  readonly subject: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: Uid;
  readonly resourceVersion: ResourceVersion;
  /** The controller owner, which a child's event is routed to. */
  readonly owner?: Pick<OwnerReference, 'apiVersion' | 'kind' | 'name' | 'uid'>;
  /** W3C trace context of the origin. */
  readonly traceparent?: string;
}

export function eventType(kind: string, change: ChangeKind): string {
  return `dev.millrace.${kind.toLowerCase()}.${change}.v1`;
}
