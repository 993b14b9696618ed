import type { JsonObject } from '#shared/domain/objects.ts';
import type { Operation } from '#shared/domain/plan.ts';

/** Whether it creates, removes or stops what no version fences. */
export function isFinal(operation: Operation): boolean {
  switch (operation.kind) {
    case 'create':
      return true;
    case 'delete':
      return operation.resourceVersion === undefined;
    case 'patch':
      return endsOrStops(operation.patch);
    case 'patchStatus':
    case 'emitEvent':
      return false;
  }
}

/** By what the patch says and not by its own word: a time to live, or a stop. */
function endsOrStops({ spec }: JsonObject): boolean {
  const { suspend, ttlSecondsAfterFinished } = (spec ?? {}) as JsonObject;
  return suspend === true || ttlSecondsAfterFinished !== undefined;
}
