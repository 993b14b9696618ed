import type { JsonObject, NewObject } from '#shared/domain/objects.ts';
import { admissionPolicy } from './admission-policy.ts';
import { customResourceDefinition } from './custom-resource-definition.ts';
import type { KindDefinition } from './kind-definition.ts';
import { submitterPolicy } from './submitter-policy.ts';

/** The objects that a cluster needs to serve the kinds: definitions first, then the policies on objects. */
export function servedDefinitions(
  kinds: readonly KindDefinition[],
): readonly (NewObject & JsonObject)[] {
  return [
    ...kinds.map(customResourceDefinition),
    ...kinds.flatMap(admissionPolicy),
    ...submitterPolicy(),
  ];
}
