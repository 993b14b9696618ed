/**
 * Fields that no write through an endpoint owns: those that the endpoint resets (upstream's
 * GetResetFields of each strategy), and those of the system (stripmeta.go).
 */
import { groupVersionOf, type JsonObject } from '#shared/domain/objects.ts';
import { textOr } from '../apimachinery/json-value.ts';
import { difference, type FieldSet, leaf, without } from './field-set.ts';

const system: FieldSet = {
  'f:apiVersion': leaf,
  'f:kind': leaf,
  'f:metadata': {
    '.': leaf,
    'f:name': leaf,
    'f:namespace': leaf,
    'f:creationTimestamp': leaf,
    'f:selfLink': leaf,
    'f:uid': leaf,
    'f:clusterName': leaf,
    'f:generation': leaf,
    'f:managedFields': leaf,
    'f:resourceVersion': leaf,
  },
};

export function withoutSystemFields(set: FieldSet): FieldSet {
  return difference(set, system);
}

const status = [['f:status']];
const allButStatus = [['f:metadata'], ['f:spec']];
const spec = [['f:spec']];
const ofPodStatus = [
  ['f:spec'],
  ['f:metadata', 'f:deletionTimestamp'],
  ['f:metadata', 'f:ownerReferences'],
];

/**
 * `hasStatus` false: there is no status subresource, so writes of the object include its status.
 */
export function withoutResetFields(
  set: FieldSet,
  object: JsonObject,
  subresource: string,
  hasStatus: boolean,
): FieldSet {
  return resetBy(object, subresource, hasStatus).reduce(without, set);
}

function resetBy(
  object: JsonObject,
  subresource: string,
  hasStatus: boolean,
): readonly (readonly string[])[] {
  if (subresource === '') return hasStatus ? status : [];
  if (subresource !== 'status') return [];
  if (!isBuiltIn(object)) return allButStatus;
  return object['kind'] === 'Pod' ? ofPodStatus : spec;
}

/**
 * Groups without a dot or below k8s.io belong to Kubernetes. Custom resources in them need an
 * approval.
 */
export function isBuiltIn(object: JsonObject): boolean {
  const { group } = groupVersionOf(textOr(object['apiVersion']));
  return !group.includes('.') || group.endsWith('.k8s.io');
}
