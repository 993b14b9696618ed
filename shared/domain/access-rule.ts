import type { Resource } from './objects.ts';

/** One permission of a process; its Role is generated from the list. */
export interface AccessRule {
  readonly resource: Resource;
  readonly subresource?: 'status' | 'finalizers';
  /** Only the objects with these names. Create cannot be limited so: a name is not known then. */
  readonly names?: readonly string[];
  /** `own`: only in the namespace that the process itself runs in. Absent: in all. */
  readonly namespace?: 'own';
  readonly verbs: readonly ('get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete')[];
}
