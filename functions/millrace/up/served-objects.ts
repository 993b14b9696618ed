/** The initial objects of a cluster of `millrace up`. */
import { hasCode } from '#shared/domain/errors.ts';
import type { JsonObject, NewObject, Resource } from '#shared/domain/objects.ts';
import { type ResourceKind, resources } from '#shared/domain/resources.ts';
import type { KubeClient } from '#shared/kube/client.ts';

interface Definition {
  readonly kind: ResourceKind;
  readonly metadata: { readonly name: string };
}

/** Applies the definitions of this version, even over those of an earlier one. */
export async function applyDefinitions(
  client: KubeClient,
  definitions: readonly JsonObject[],
): Promise<void> {
  for (const definition of definitions) {
    const { kind, metadata } = definition as unknown as Definition;
    // The name that `kubectl apply --server-side` uses, so that a later `millrace crds | kubectl apply` has no
    // conflict.
    const options = { type: 'apply', fieldManager: 'kubectl', force: true } as const;
    const target = { namespace: '', name: metadata.name };
    await client.patch(resources[kind], target, definition, options);
  }
}

/** An existing object stays as it is. */
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
