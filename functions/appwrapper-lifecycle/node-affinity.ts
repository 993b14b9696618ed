/**
 * Keeps Pods that want a resource away from nodes where it is broken. Such nodes have labels with key and value of the
 * taints that the health of the resource stands for, as the original controller's autopilot reads them.
 */
import { fieldsOf, isList } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { parseQuantity } from '#shared/domain/quantity.ts';

interface ResourceTaint {
  readonly key: string;
  readonly value: string;
  readonly effect: 'PreferNoSchedule' | 'NoSchedule' | 'NoExecute';
}

const gpuHealth = 'autopilot.ibm.com/gpuhealth';

/** By resource; the defaults of the original. */
const resourceTaints: ReadonlyMap<string, readonly ResourceTaint[]> = new Map([
  [
    'nvidia.com/gpu',
    [
      { key: gpuHealth, value: 'WARN', effect: 'PreferNoSchedule' },
      { key: gpuHealth, value: 'TESTING', effect: 'NoSchedule' },
      { key: gpuHealth, value: 'EVICT', effect: 'NoExecute' },
    ],
  ],
]);
/** Of the preference against nodes that are merely suspicious, 1 to 100. */
const preferenceWeight = 50;

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

/** The spec of a Pod template; as it was where it wants no such resource. */
export function awayFromBrokenNodes(spec: JsonObject): JsonObject {
  const taints = [...resourceTaints]
    .filter(([resource]) => wants(spec, resource))
    .flatMap(([, each]) => each);
  if (taints.length === 0) return spec;
  const affinity = fieldsOf(spec['affinity']);
  const ofNode = fieldsOf(affinity['nodeAffinity']);
  const nodeAffinity = {
    ...ofNode,
    [required]: withRequired(
      fieldsOf(ofNode[required]),
      notIn(taints.filter(({ effect }) => effect !== 'PreferNoSchedule')),
    ),
    [preferred]: withPreferred(
      ofNode[preferred],
      notIn(taints.filter(({ effect }) => effect === 'PreferNoSchedule')),
    ),
  };
  return { ...spec, affinity: { ...affinity, nodeAffinity } };
}

function wants(spec: JsonObject, resource: string): boolean {
  const lists = [spec['initContainers'], spec['containers']].flatMap((list) =>
    isList(list) ? list : [],
  );
  return lists.some((container) => {
    const { requests, limits } = fieldsOf(fieldsOf(container)['resources']);
    return [requests, limits].some((amounts) => {
      const amount = ownMember(fieldsOf(amounts), resource);
      const isAmount = typeof amount === 'string' || typeof amount === 'number';
      return isAmount && (parseQuantity(amount) ?? 0) > 0;
    });
  });
}

/** One expression for each key. */
function notIn(taints: readonly ResourceTaint[]): readonly JsonObject[] {
  return [...Map.groupBy(taints, ({ key }) => key)].map(([key, ofKey]) => ({
    ...{ key, operator: 'NotIn' },
    values: ofKey.map(({ value }) => value),
  }));
}

/** Terms are alternatives: each of them has to keep the Pod away. */
function withRequired(own: JsonObject, expressions: readonly JsonObject[]): JsonObject {
  const { nodeSelectorTerms } = own;
  const terms =
    isList(nodeSelectorTerms) && nodeSelectorTerms.length > 0 ? nodeSelectorTerms : [{}];
  return {
    ...own,
    nodeSelectorTerms: terms.map((term) => ({
      ...fieldsOf(term),
      matchExpressions: appended(fieldsOf(term)['matchExpressions'], expressions),
    })),
  };
}

function withPreferred(
  own: Json | undefined,
  matchExpressions: readonly JsonObject[],
): readonly Json[] {
  return appended(own, [{ weight: preferenceWeight, preference: { matchExpressions } }]);
}

function appended(own: Json | undefined, more: readonly JsonObject[]): readonly Json[] {
  return [...(isList(own) ? own : []), ...more];
}
