/** How a change leads to the policies that have to look at it. */
import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';
import type { KubeObject, ObjectKey, Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Index, SeenObjects } from '#shared/subscription/subscription.ts';
import { type GovernedObject, governedObject } from '#shared/suspension/governed-object.ts';
import { readMark } from '#shared/suspension/mark.ts';
import { policyKey, selects } from '#shared/suspension/selection.ts';

/**
 * Those that select the object, and the one that holds it. Of one that is gone its labels are not known any more: then all of its
 * namespace, since there may be room for another one.
 */
export function policiesOfObject(decides: Resource, resource: Resource): Index {
  return (seen) => {
    const policies = [...seen.list(decides)];
    if (policies.length === 0) return () => [];
    const labelsOf = namespaceLabels(seen);
    return ({ namespace, name }) => {
      const object = seen.get(resource, namespace, name);
      const governed = object === undefined ? undefined : governedObject(object);
      return policies
        .filter((policy) =>
          governed === undefined
            ? isOfNamespace(policy, namespace)
            : isHeldBy(policy, governed) ||
              selects(policy as unknown as SuspendPolicy, governed, labelsOf),
        )
        .map(policyKey);
    };
  };
}

/** It may select it no more, and has to give it back then. */
function isHeldBy({ metadata }: KubeObject, { mark }: GovernedObject): boolean {
  return readMark(mark)?.policy === metadata.uid;
}

/** Another policy decides whether this one does: all of them look. */
export function everyPolicy(decides: Resource): Index {
  return (seen) => {
    let keys: readonly ObjectKey[] | undefined;
    return () => (keys ??= [...seen.list(decides)].map(policyKey));
  };
}

export function namespaceLabels(
  seen: SeenObjects,
): (name: string) => Readonly<Record<string, string>> {
  return (name) => seen.get(resources.Namespace, '', name)?.metadata.labels ?? {};
}

function isOfNamespace({ metadata }: KubeObject, namespace: string): boolean {
  return metadata.namespace === undefined || metadata.namespace === namespace;
}
