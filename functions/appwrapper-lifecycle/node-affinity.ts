/**
 * Keeps Pods away from nodes where a resource that they request is broken. The labels of such nodes have key and value
 * of the taints that stand for the resource's health, as in the original controller's autopilot.
 */
import { fieldsOf, isList, listOf } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { extendedResourcesOf } from './subscription/extended-resources.ts';
import type { NodeHealth, ResourceTaint } from './rules.ts';

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

/** The spec of a Pod template. Unchanged if it requests no such resource. */
export function awayFromBrokenNodes(
  spec: JsonObject,
  { keepsAway, preferenceWeight, taints: all }: NodeHealth,
): JsonObject {
  const wanted = extendedResourcesOf([
    ...listOf(spec['initContainers']),
    ...listOf(spec['containers']),
  ]);
  const taints = all.filter(({ resource }) => wanted.has(resource));
  if (!keepsAway || taints.length === 0) return spec;
  const strict = notIn(taints.filter(({ effect }) => effect !== 'PreferNoSchedule'));
  const mild = notIn(taints.filter(({ effect }) => effect === 'PreferNoSchedule'));
  const affinity = fieldsOf(spec['affinity']);
  const ofNode = fieldsOf(affinity['nodeAffinity']);
  const preference = { weight: preferenceWeight, preference: { matchExpressions: mild } };
  const nodeAffinity = {
    ...ofNode,
    ...(strict.length === 0
      ? {}
      : { [required]: withRequired(fieldsOf(ofNode[required]), strict) }),
    ...(mild.length === 0 ? {} : { [preferred]: appended(ofNode[preferred], [preference]) }),
  };
  return { ...spec, affinity: { ...affinity, nodeAffinity } };
}

/** One expression per key. */
function notIn(taints: readonly ResourceTaint[]): readonly JsonObject[] {
  return [...Map.groupBy(taints, ({ key }) => key)].map(([key, ofKey]) => ({
    ...{ key, operator: 'NotIn' },
    values: ofKey.map(({ value }) => value),
  }));
}

/** Terms are alternatives, so each of them needs the expressions. */
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

function appended(own: Json | undefined, more: readonly JsonObject[]): readonly Json[] {
  return [...(isList(own) ? own : []), ...more];
}
