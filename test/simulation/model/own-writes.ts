/** Whether a decision asked for a commit, on the known object and version. */
import type { KubeObject } from '#shared/domain/objects.ts';
import type { Operation } from '#shared/domain/plan.ts';

export function asksFor(operation: Operation, before: KubeObject): boolean {
  const { uid, resourceVersion } = before.metadata;
  switch (operation.kind) {
    case 'patchStatus':
      return operation.uid === uid && operation.resourceVersion === resourceVersion;
    case 'delete':
      // Only objects that vanish by their own timer are bound to the version with the time.
      return (
        operation.uid === uid && [undefined, resourceVersion].includes(operation.resourceVersion)
      );
    case 'patch':
      return operation.uid === uid;
    case 'create':
    case 'emitEvent':
      return false;
  }
}
