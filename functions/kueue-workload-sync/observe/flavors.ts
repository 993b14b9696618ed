import { isList, isObject } from '#shared/domain/json-value.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Reader } from '#shared/kube/reader.ts';
import type { Flavor, QueueSnapshot } from '../snapshot.ts';
import { asWorkload, holds } from '../workload.ts';

/** The flavors of an admission by which a job is about to start. */
export async function flavorsOf(
  { spec }: KubeObject,
  workloads: readonly KubeObject[],
  reader: Reader,
): Promise<QueueSnapshot['flavors']> {
  if ((spec as { readonly suspend?: boolean } | undefined)?.suspend !== true) return {};
  const assigned = workloads
    .map(asWorkload)
    .filter((workload) => holds(workload, 'Admitted'))
    .flatMap(({ status }) => status?.admission?.podSetAssignments ?? [])
    .flatMap(({ flavors = {} }) => Object.values(flavors));
  const found = await Promise.all(
    [...new Set(assigned)].map(async (name): Promise<readonly [string, Flavor | null]> => {
      const flavor = await reader.get(resources.ResourceFlavor, { namespace: '', name });
      return [name, flavor === undefined ? null : flavorOf(flavor)];
    }),
  );
  return Object.fromEntries(found);
}

function flavorOf({ spec }: KubeObject): Flavor {
  const { nodeLabels, tolerations } = isObject(spec) ? spec : {};
  return {
    ...(isObject(nodeLabels) ? { nodeLabels: nodeLabels as Record<string, string> } : {}),
    ...(isList(tolerations ?? null)
      ? { tolerations: tolerations as NonNullable<Flavor['tolerations']> }
      : {}),
  };
}
