/** The facts of a node that a DaemonJob depends on, without heartbeats and usage. */
import { fieldsOf, listOf, textOf } from './json-value.ts';
import type { Json, KubeObject } from './objects.ts';

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

export interface NodeFacts {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly isUnschedulable: boolean;
  readonly isDeleting: boolean;
  /** Status of the condition Ready. Absent: not reported yet. */
  readonly ready?: string;
}

export function nodeFacts(node: KubeObject): NodeFacts {
  let known = facts.get(node);
  if (known === undefined) {
    known = factsOf(node);
    facts.set(node, known);
  }
  return known;
}

/** A view returns the same object until it changes, and each DaemonJob looks at all nodes repeatedly. */
const facts = new WeakMap<KubeObject, NodeFacts>();

function factsOf({ metadata, spec, status }: KubeObject): NodeFacts {
  const { taints, unschedulable } = fieldsOf(spec);
  const ready = listOf(fieldsOf(status)['conditions'])
    .map(fieldsOf)
    .find(({ type }) => type === 'Ready');
  return {
    name: metadata.name,
    labels: metadata.labels ?? {},
    taints: listOf(taints).map(taintOf),
    isUnschedulable: unschedulable === true,
    isDeleting: metadata.deletionTimestamp !== undefined,
    ...(ready === undefined ? {} : { ready: textOf(ready['status']) }),
  };
}

function taintOf(taint: Json): Taint {
  const { key, value, effect } = fieldsOf(taint);
  return { key: textOf(key), value: textOf(value), effect: textOf(effect) };
}
