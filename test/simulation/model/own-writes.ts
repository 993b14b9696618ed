/** Whether a committed change is what a decision asked for, on the object and version that it knew. */
import type { KubeObject } from '#shared/domain/objects.ts';
import type { Operation } from '#shared/domain/plan.ts';

export function asksFor(operation: Operation, before: KubeObject): boolean {
  const { uid, resourceVersion } = before.metadata;
  switch (operation.kind) {
    case 'patchStatus':
      return operation.uid === uid && operation.resourceVersion === resourceVersion;
    case 'delete':
      // Only what vanishes by a time of its own is bound to the version that told the time.
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
