/** What a cluster of `millrace up` has before anything runs in it. */
import { hasCode } from '#shared/domain/errors.ts';
import type { JsonObject, NewObject, Resource } from '#shared/domain/objects.ts';
import { type ResourceKind, resources } from '#shared/domain/resources.ts';
import type { KubeClient } from '#shared/kube/client.ts';

interface Definition {
  readonly kind: ResourceKind;
  readonly metadata: { readonly name: string };
}

/** Those of this version, also over what an earlier version has left. */
export async function applyDefinitions(
  client: KubeClient,
  definitions: readonly JsonObject[],
): Promise<void> {
  for (const definition of definitions) {
    const { kind, metadata } = definition as unknown as Definition;
    // As `kubectl apply --server-side` calls itself: its `millrace crds | kubectl apply` meets no conflict.
    const options = { type: 'apply', fieldManager: 'kubectl', force: true } as const;
    const target = { namespace: '', name: metadata.name };
    await client.patch(resources[kind], target, definition, options);
  }
}

/** What is there stays as it is. */
export async function createMissing(
  client: KubeClient,
  resource: Resource,
  object: NewObject,
): Promise<void> {
  try {
    await client.create(resource, object);
  } catch (error) {
    if (!hasCode(error, 'MR_API_CONFLICT')) throw error;
  }
}
