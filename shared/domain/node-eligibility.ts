/**
 * Whether a node can run a Pod, as far as that is known before it is tried: its name and labels are
 * selected, and nothing keeps Pods away that this one does not tolerate. Whether it has room is for the
 * scheduler to find out, which then waits (component-helpers, scheduling/corev1 and nodeaffinity).
 */
import { isList, isObject } from './json-value.ts';
import type { NodeFacts, Taint } from './node-facts.ts';
import type { Json, JsonObject } from './objects.ts';
import { ownMember } from './own-member.ts';

export interface Ineligibility {
  /** Unselected, Deleting, Cordoned, NotReady, Unreachable or Tainted. */
  readonly reason: string;
  readonly message: string;
}

/** The reason of nodes that the template itself leaves out: that is a wish and no obstacle. */
export const unselected = 'Unselected';

/** `takesAll`: whatever keeps Pods away is tolerated. Undefined: the node can run it. */
export function ineligibility(
  node: NodeFacts,
  pod: JsonObject,
  takesAll: boolean,
): Ineligibility | undefined {
  if (!isSelected(node, pod)) {
    return { reason: unselected, message: 'the template does not select the node' };
  }
  if (node.isDeleting) return { reason: 'Deleting', message: 'the node is being deleted' };
  return takesAll ? undefined : obstacle(node, listOf(pod['tolerations']).map(fieldsOf));
}

function obstacle(node: NodeFacts, tolerations: readonly JsonObject[]): Ineligibility | undefined {
  const keepsAway = (taint: Taint) => !tolerations.some((each) => tolerates(each, taint));
  if (node.isUnschedulable && keepsAway(noSchedule('node.kubernetes.io/unschedulable'))) {
    return { reason: 'Cordoned', message: 'the node is cordoned' };
  }
  if (node.ready === 'Unknown' && keepsAway(noSchedule('node.kubernetes.io/unreachable'))) {
    return { reason: 'Unreachable', message: 'the node has stopped to report' };
  }
  const isReady = node.ready === 'True' || node.ready === 'Unknown';
  if (!isReady && keepsAway(noSchedule('node.kubernetes.io/not-ready'))) {
    return { reason: 'NotReady', message: 'the node is not ready' };
  }
  const taint = node.taints.find((each) => effects.has(each.effect) && keepsAway(each));
  if (taint === undefined) return undefined;
  const value = taint.value === '' ? '' : `=${taint.value}`;
  const message = `the node has the taint ${taint.key}${value}:${taint.effect}, which the Pod does not tolerate`;
  return { reason: 'Tainted', message };
}

const effects: ReadonlySet<string> = new Set(['NoSchedule', 'NoExecute']);

function noSchedule(key: string): Taint {
  return { key, value: '', effect: 'NoSchedule' };
}

function tolerates(toleration: JsonObject, taint: Taint): boolean {
  const key = textOf(toleration['key']);
  const effect = textOf(toleration['effect']);
  const operator = textOf(toleration['operator']) || 'Equal';
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return key !== '' && operator === 'Equal' && textOf(toleration['value']) === taint.value;
}

function isSelected(node: NodeFacts, pod: JsonObject): boolean {
  const nodeName = textOf(pod['nodeName']);
  if (nodeName !== '' && nodeName !== node.name) return false;
  const selector = Object.entries(fieldsOf(pod['nodeSelector']));
  if (!selector.every(([key, value]) => ownMember(node.labels, key) === value)) return false;
  const affinity = fieldsOf(fieldsOf(pod['affinity'])['nodeAffinity']);
  const required = affinity['requiredDuringSchedulingIgnoredDuringExecution'];
  if (!isObject(required ?? null)) return true;
  return listOf(fieldsOf(required)['nodeSelectorTerms']).some((term) =>
    isMatchedBy(node, fieldsOf(term)),
  );
}

/** An empty term matches nothing. */
function isMatchedBy(node: NodeFacts, term: JsonObject): boolean {
  const expressions = listOf(term['matchExpressions']).map(fieldsOf);
  const fields = listOf(term['matchFields']).map(fieldsOf);
  if (expressions.length + fields.length === 0) return false;
  return (
    expressions.every((each) => holds(each, ownMember(node.labels, textOf(each['key'])))) &&
    fields.every((each) => each['key'] === 'metadata.name' && holds(each, node.name))
  );
}

const wholeNumber = /^-?[0-9]+$/;

function holds({ operator, values }: JsonObject, found: string | undefined): boolean {
  const wanted = listOf(values);
  switch (operator) {
    case 'In':
      return found !== undefined && wanted.includes(found);
    case 'NotIn':
      return found === undefined || !wanted.includes(found);
    case 'Exists':
      return found !== undefined;
    case 'DoesNotExist':
      return found === undefined;
    case 'Gt':
    case 'Lt':
      return compares(operator, found ?? '', textOf(wanted[0]));
    default:
      return false;
  }
}

function compares(operator: 'Gt' | 'Lt', left: string, right: string): boolean {
  if (!wholeNumber.test(left) || !wholeNumber.test(right)) return false;
  return operator === 'Gt' ? BigInt(left) > BigInt(right) : BigInt(left) < BigInt(right);
}

function fieldsOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function listOf(value: Json | undefined): readonly Json[] {
  return isList(value ?? null) ? (value as readonly Json[]) : [];
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
