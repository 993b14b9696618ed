/**
 * Whether a Workload matches its job (kueue, jobframework/equivalence). Quantities are compared by value, and empty
 * counts as absent: Kueue's webhook and the API server both normalize.
 */
import type { DescribedPodSet, PodSet } from '#shared/api/work/queueing/queueing.ts';
import { stableJson } from '#shared/domain/hash.ts';
import { fieldsOf, listOf } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { parseQuantity } from '#shared/domain/quantity.ts';
import { holds, type Workload } from '../workload.ts';

/** Ignores parts of a podSet that nothing depends on any more. */
export function isEquivalent(
  workload: Workload,
  podSets: readonly DescribedPodSet[],
  maximumSeconds: number | undefined,
): boolean {
  const { spec } = workload;
  if (spec.maximumExecutionTimeSeconds !== maximumSeconds) return false;
  const described = new Map(podSets.map((podSet) => [podSet.name, podSet]));
  const isAdmitted = holds(workload, 'Admitted');
  return (
    spec.podSets.length === podSets.length &&
    spec.podSets.every((podSet) => {
      const wanted = described.get(podSet.name);
      if (wanted === undefined) return false;
      return (
        wanted.isOver === true || isSame(podSet, settled(podSet, wanted, workload), isAdmitted)
      );
    })
  );
}

function settled(known: PodSet, wanted: DescribedPodSet, workload: Workload): PodSet {
  const stands = wanted.takesCountOfWorkload === true && holds(workload, 'QuotaReserved');
  return stands ? { ...wanted, count: known.count } : wanted;
}

function isSame(left: PodSet, right: PodSet, isAdmitted: boolean): boolean {
  return left.count === right.count && textOf(left, isAdmitted) === textOf(right, isAdmitted);
}

function textOf({ template }: PodSet, isAdmitted: boolean): string {
  const { containers, initContainers, tolerations } = fieldsOf(template['spec']);
  return stableJson({
    containers: listOf(containers).map(containerOf),
    initContainers: listOf(initContainers).map(containerOf),
    ...(isAdmitted ? {} : { tolerations: listOf(tolerations) }),
  });
}

function containerOf(container: Json): JsonObject {
  const { name, image, restartPolicy, resources } = fieldsOf(container);
  const { requests, limits, claims } = fieldsOf(resources);
  return {
    ...{ name, image, restartPolicy },
    requests: quantitiesOf(requests),
    limits: quantitiesOf(limits),
    claims: listOf(claims),
  };
}

function quantitiesOf(quantities: Json | undefined): JsonObject {
  return Object.fromEntries(
    Object.entries(fieldsOf(quantities)).map(([name, quantity]) => [name, valueOf(quantity)]),
  );
}

function valueOf(quantity: Json | undefined): Json {
  if (typeof quantity !== 'string' && typeof quantity !== 'number') return null;
  return parseQuantity(quantity) ?? quantity;
}
