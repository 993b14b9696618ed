/** Leads from a change to the policies that it concerns. */
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
 * The policies that select the object, and the one that holds it. The labels of a removed object are unknown, so all
 * policies of its namespace are found, since capacity may be free again.
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
              // Exempt objects are left out in the pass. Waking for one costs only a pass.
              selects(policy as unknown as SuspendPolicy, governed, { labelsOf, exempt: [] }),
        )
        .map(policyKey);
    };
  };
}

/** From a Workload to the policies of its owner. */
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

/** Policies with marks may have to give the object back. For work of Kueue the marks are on the Workload. */
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

/** All policies, because another policy may affect which one decides. */
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
