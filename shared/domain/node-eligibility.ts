/**
 * Whether a node can run a Pod, as far as that is known in advance. Its name and labels must match, and the
 * Pod must tolerate what keeps Pods away. Free capacity is the scheduler's question (component-helpers,
 * scheduling/corev1 and nodeaffinity).
 */
import { fieldsOf, isObject, listOf, textOf } from './json-value.ts';
import type { NodeFacts, Taint } from './node-facts.ts';
import type { Json, JsonObject } from './objects.ts';
import { ownMember } from './own-member.ts';

export interface Ineligibility {
  /** Unselected, Deleting, Cordoned, NotReady, Unreachable or Tainted. */
  readonly reason: string;
  readonly message: string;
}

/** Reason for nodes that the template itself does not select, so they are no obstacle. */
export const unselected = 'Unselected';

/** `takesAll`: all taints and cordons are tolerated. Undefined: the node can run the Pod. */
export function ineligibility(
  node: NodeFacts,
  pod: JsonObject,
  takesAll: boolean,
): Ineligibility | undefined {
  if (!isSelected(node, demandsOf(pod))) {
    return { reason: unselected, message: 'the template does not select the node' };
  }
  if (node.isDeleting) return { reason: 'Deleting', message: 'the node is being deleted' };
  return takesAll ? undefined : obstacle(node, demandsOf(pod).tolerations);
}

function obstacle(node: NodeFacts, tolerations: readonly JsonObject[]): Ineligibility | undefined {
  const keepsAway = (taint: Taint) => !tolerations.some((each) => tolerates(each, taint));
  if (node.isUnschedulable && keepsAway(noSchedule('node.kubernetes.io/unschedulable'))) {
    return { reason: 'Cordoned', message: 'the node is cordoned' };
  }
  if (node.ready === 'Unknown' && keepsAway(noSchedule('node.kubernetes.io/unreachable'))) {
    return { reason: 'Unreachable', message: 'the node has stopped reporting' };
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

/** A Pod's demands on its node, read once for all nodes. */
interface Demands {
  readonly nodeName: string;
  readonly selector: readonly (readonly [string, Json | undefined])[];
  /** Alternatives. Undefined: any node. */
  readonly terms: readonly Term[] | undefined;
  readonly tolerations: readonly JsonObject[];
}

type Term = readonly ((node: NodeFacts) => boolean)[];

function demandsOf(pod: JsonObject): Demands {
  const known = demands.get(pod);
  if (known !== undefined) return known;
  const read = {
    nodeName: textOf(pod['nodeName']),
    selector: Object.entries(fieldsOf(pod['nodeSelector'])),
    // A DaemonJob with more demands is refused, so the nodes that it selects do not matter.
    terms: demandsOnNodes(pod) > mostDemandsOnNodes ? [] : termsOf(pod)?.map(termOf),
    tolerations: listOf(pod['tolerations']).map(fieldsOf),
  };
  demands.set(pod, read);
  return read;
}

const demands = new WeakMap<JsonObject, Demands>();

function isSelected(node: NodeFacts, { nodeName, selector, terms }: Demands): boolean {
  if (nodeName !== '' && nodeName !== node.name) return false;
  if (!selector.every(([key, value]) => ownMember(node.labels, key) === value)) return false;
  // An empty term matches no node.
  const isMet = (term: Term) => term.length > 0 && term.every((holds) => holds(node));
  return terms === undefined || terms.some(isMet);
}

/** Undefined: no node affinity is required. */
function termsOf(pod: JsonObject): readonly JsonObject[] | undefined {
  const affinity = fieldsOf(fieldsOf(pod['affinity'])['nodeAffinity']);
  const required = affinity['requiredDuringSchedulingIgnoredDuringExecution'];
  if (!isObject(required ?? null)) return undefined;
  return listOf(fieldsOf(required)['nodeSelectorTerms']).map(fieldsOf);
}

/** Every demand is compared with every node: 5,000 nodes make 320,000 comparisons. */
export const mostDemandsOnNodes = 64;

/**
 * Counts the tolerations and the node affinity's requirements in all terms. Each one is compared with each
 * node.
 */
export function demandsOnNodes(pod: JsonObject): number {
  const requirements = (termsOf(pod) ?? []).map(
    (term) => 1 + listOf(term['matchExpressions']).length + listOf(term['matchFields']).length,
  );
  const inTerms = requirements.reduce((sum, each) => sum + each, 0);
  return inTerms + listOf(pod['tolerations']).length;
}

function termOf(term: JsonObject): Term {
  const expressions = listOf(term['matchExpressions']).map(fieldsOf);
  const fields = listOf(term['matchFields']).map(fieldsOf);
  return [
    ...expressions.map((each) => {
      const key = textOf(each['key']);
      const holds = requirement(each);
      return ({ labels }: NodeFacts) => holds(ownMember(labels, key));
    }),
    ...fields.map((each) => {
      const holds = requirement(each);
      return ({ name }: NodeFacts) => each['key'] === 'metadata.name' && holds(name);
    }),
  ];
}

function requirement({ operator, values }: JsonObject): (found: string | undefined) => boolean {
  const wanted = new Set(listOf(values));
  switch (operator) {
    case 'In':
      return (found) => found !== undefined && wanted.has(found);
    case 'NotIn':
      return (found) => found === undefined || !wanted.has(found);
    case 'Exists':
      return (found) => found !== undefined;
    case 'DoesNotExist':
      return (found) => found === undefined;
    case 'Gt':
    case 'Lt':
      return comparison(operator, textOf(listOf(values)[0]));
    default:
      return () => false;
  }
}

function comparison(operator: 'Gt' | 'Lt', text: string): (found: string | undefined) => boolean {
  if (!wholeNumber.test(text)) return () => false;
  const bound = BigInt(text);
  return (found = '') => {
    if (!wholeNumber.test(found)) return false;
    return operator === 'Gt' ? BigInt(found) > bound : BigInt(found) < bound;
  };
}

/** At most 64 bits, as the scheduler reads it. */
const wholeNumber = /^-?[0-9]{1,19}$/;
