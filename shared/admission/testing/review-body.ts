import type { JsonObject } from '#shared/domain/objects.ts';

/** A ConfigMap of this name, as in a review by the API server. */
export function configMap(name: string, data: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', uid: 'u-object' },
    data,
  };
}

/** `request` in the review of a new ConfigMap, with the test's changes. */
export function requestOf(changes: JsonObject = {}): JsonObject {
  return {
    uid: 'u-review',
    kind: { group: '', version: 'v1', kind: 'ConfigMap' },
    resource: { group: '', version: 'v1', resource: 'configmaps' },
    requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
    requestResource: { group: '', version: 'v1', resource: 'configmaps' },
    name: 'a',
    namespace: 'default',
    operation: 'CREATE',
    userInfo: { username: 'ann', groups: ['system:authenticated'] },
    object: configMap('a', { colour: 'blue' }),
    oldObject: null,
    dryRun: false,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    ...changes,
  };
}

/** The whole review, as bytes. */
export function reviewBody(changes: JsonObject = {}, envelope: JsonObject = {}): Buffer {
  const review = { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', ...envelope };
  return Buffer.from(JSON.stringify({ ...review, request: requestOf(changes) }));
}
