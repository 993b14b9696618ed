/** How a change leads to the policies that have to look at it. */
import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';
import { workloadWork } from '#shared/api/work/workload.ts';
import { annotations } from '#shared/domain/labels.ts';
import { isOf, type KubeObject, type ObjectKey, type Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Index, SeenObjects } from '#shared/subscription/subscription.ts';
import { type GovernedObject, governedObject } from '#shared/suspension/governed-object.ts';
import { readMark } from '#shared/suspension/mark.ts';
import { policyKey, policyResources, selects } from '#shared/suspension/selection.ts';

/**
 * Those that select the object, and the one that holds it. Of one that is gone its labels are not known any more: then all of its
 * namespace, since there may be room for another one.
 */
export function policiesOfObject(resource: Resource): Index {
  return (seen) => {
    const policies = policiesIn(seen);
    if (policies.length === 0) return () => [];
    const labelsOf = namespaceLabels(seen);
    return ({ namespace, name }) => {
      const object = seen.get(resource, namespace, name);
      const governed = object === undefined ? undefined : governedObject(object);
      return policies
        .filter((policy) =>
          governed === undefined
            ? isOfNamespace(policy, namespace)
            : marksOf(governed, seen).some((mark) => isMarkOf(policy, mark)) ||
              // What is exempt is left out when it is looked at: to wake for it costs a look.
              selects(policy as unknown as SuspendPolicy, governed, { labelsOf, exempt: [] }),
        )
        .map(policyKey);
    };
  };
}

/** From what Kueue has made of an object to the policies of that object. */
export function policiesOfWorkload(governed: readonly Resource[]): Index {
  return (seen) => {
    const indexes = governed.map(
      (resource) => [resource, policiesOfObject(resource)(seen)] as const,
    );
    return (event) => {
      const { owner } = event;
      if (owner === undefined) return [];
      const index = indexes.find(([resource]) => isOf(owner, resource))?.[1];
      return index?.({ ...event, name: owner.name }) ?? [];
    };
  };
}

/** A policy may select it no more, and has to give it back then. What Kueue runs carries them on its Workload. */
function marksOf(
  { mark, uid, untouchable }: GovernedObject,
  seen: SeenObjects,
): readonly (string | undefined)[] {
  const workloads = untouchable === 'Kueue' ? seen.listByOwner(workloadWork.resource, uid) : [];
  return [
    mark,
    ...workloads.map(({ metadata }) => metadata.annotations?.[annotations.suspendedBy]),
  ];
}

function isMarkOf({ metadata }: KubeObject, mark: string | undefined): boolean {
  return readMark(mark)?.policy === metadata.uid;
}

/** Another policy decides whether this one does: all of them look. */
export const everyPolicy: Index = (seen) => {
  let keys: readonly ObjectKey[] | undefined;
  return () => (keys ??= policiesIn(seen).map(policyKey));
};

function policiesIn(seen: SeenObjects): readonly KubeObject[] {
  return policyResources.flatMap((resource) => [...seen.list(resource)]);
}

export function namespaceLabels(
  seen: SeenObjects,
): (name: string) => Readonly<Record<string, string>> {
  return (name) => seen.get(resources.Namespace, '', name)?.metadata.labels ?? {};
}

function isOfNamespace({ metadata }: KubeObject, namespace: string): boolean {
  return metadata.namespace === undefined || metadata.namespace === namespace;
}
