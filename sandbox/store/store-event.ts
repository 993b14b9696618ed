import type { KubeObject } from '#shared/domain/objects.ts';
import type { ResourceType } from '../registry/resource-type.ts';

/**
 * One write. `object` is the state after it. For a deletion it is the last state at the new
 * revision.
 */
export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resourceType: ResourceType;
  readonly object: KubeObject;
  /** The state before the write. Absent for ADDED. */
  readonly old?: KubeObject;
  readonly revision: number;
}
