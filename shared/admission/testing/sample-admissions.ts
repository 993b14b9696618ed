/** Two small admissions over ConfigMaps, for the tests of the contract and of its host. */
import type { Review } from '#shared/domain/admission-decision.ts';
import { isObject } from '#shared/domain/json-value.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { defineAdmission, type Admission } from '../admission.ts';

const configMaps = { group: '', version: 'v1', plural: 'configmaps' } as const;

/** Writes the first author on the ConfigMap, and warns if it is empty. */
export const stampAuthor = defineAdmission({
  name: 'stamp-author',
  mode: 'mutating',
  reviews: [{ resource: configMaps, operations: ['CREATE'] }],
  registration: { failurePolicy: 'Ignore', timeoutSeconds: 3 },
  decide: (review) => {
    const { object = {}, user } = review;
    const metadata = memberOf(object, 'metadata');
    const annotations = {
      ...memberOf(metadata, 'annotations'),
      'example.com/author': user.username,
    };
    const stamped = { ...object, metadata: { ...metadata, annotations } };
    const isEmpty = Object.keys(memberOf(object, 'data')).length === 0;
    return {
      allowed: true,
      object: stamped,
      ...(isEmpty ? { warnings: ['the ConfigMap holds nothing'] } : {}),
    };
  },
});

/**
 * Refuses to delete a ConfigMap that is marked as kept, and to create one in a frozen namespace.
 */
export const protectKept: Admission<boolean> = defineAdmission({
  name: 'protect-kept',
  mode: 'validating',
  reviews: [{ resource: configMaps, operations: ['CREATE', 'DELETE'] }],
  registration: { failurePolicy: 'Fail', timeoutSeconds: 3 },
  lookUp: async ({ namespace }, { reader }) => {
    const found = await reader.get(resources.Namespace, { namespace: '', name: namespace });
    return found?.metadata.labels?.['example.com/frozen'] === 'true';
  },
  decide: (review, { facts: isFrozen }) => {
    if (isFrozen) return denial(`the namespace ${review.namespace} is frozen`);
    if (review.operation !== 'DELETE' || !isKept(review)) return { allowed: true };
    return denial(`the ConfigMap ${review.name} is kept`);
  },
});

function isKept({ oldObject = {} }: Review): boolean {
  return memberOf(oldObject, 'data')['keep'] === 'yes';
}

function denial(message: string) {
  return { allowed: false, code: 403, reason: 'Forbidden', message } as const;
}

function memberOf(object: JsonObject, name: string): JsonObject {
  const member = object[name];
  return isObject(member) ? member : {};
}
