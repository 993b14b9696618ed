import type { KubeObject, ObjectName, Uid } from '#shared/domain/objects.ts';
import type { ResourceKind } from '#shared/domain/resources.ts';

/**
 * The only reads of a function. A stale answer is harmless (creates are locked by name, status
 * writes by resourceVersion); adapters: the API server, the bridge's view with the API server behind.
 */
export interface Reader {
  get(kind: ResourceKind, name: ObjectName): Promise<KubeObject | undefined>;
  /** Children whose controller is the owner with this uid, in no particular order. */
  listByOwner(
    kind: ResourceKind,
    owner: { readonly namespace: string; readonly uid: Uid },
  ): Promise<readonly KubeObject[]>;
}
