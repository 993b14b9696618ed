import type { Resource } from './objects.ts';

/** One permission of a process; its Role is generated from the list. */
export interface AccessRule {
  readonly resource: Resource;
  readonly subresource?: 'status' | 'finalizers';
  /**
   * Limits the rule to the objects with these names. Create cannot be limited: the name is not
   * known then.
   */
  readonly names?: readonly string[];
  /** `own`: only in the namespace of the process itself. Absent: in all namespaces. */
  readonly namespace?: 'own';
  readonly verbs: readonly ('get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete')[];
}
