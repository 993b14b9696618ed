/** Reviews of AppWrappers as the API server makes them. */
import type { Review, ReviewUser } from '#shared/domain/admission-decision.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';

export const ann: ReviewUser = { username: 'ann', uid: 'u-ann', groups: ['team-a'], extra: {} };

export function creation(object: JsonObject): Review {
  const { group, version, plural, kind } = resources.AppWrapper;
  return {
    ...{ uid: 'u-review', operation: 'CREATE', subresource: '', namespace: 'team-a' },
    ...{ name: 'sample', object, user: ann, dryRun: false },
    kind: { group, version, kind },
    resource: { group, version, plural },
  };
}

export function update(oldObject: JsonObject, object: JsonObject): Review {
  return { ...creation(object), operation: 'UPDATE', oldObject };
}
