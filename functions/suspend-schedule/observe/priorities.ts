/** The priority of an object, as the policy reads it. */
import type { ClusterSuspendPolicySpec } from '#shared/api/suspend-policy.ts';
import { governedKindNamed } from '#shared/api/work/governed-kinds.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { fieldsOf } from '#shared/domain/json-value.ts';

export interface Priority {
  readonly priority: number;
  /** Why the value of the priority label cannot be read. */
  readonly priorityFault?: string;
}

export type PriorityOf = (object: KubeObject) => Priority;

export async function priorities(
  { order }: ClusterSuspendPolicySpec,
  reader: Reader,
): Promise<PriorityOf> {
  const { priorityFrom } = order ?? {};
  if (priorityFrom?.startsWith('label:') === true) {
    return ofLabel(priorityFrom.slice('label:'.length));
  }
  const classes = await reader.list(resources.PriorityClass);
  const values = new Map(classes.map((each) => [each.metadata.name, valueOf(each)]));
  const fallback = classes.find((each) => fieldsOf(each)['globalDefault'] === true);
  const initial = fallback === undefined ? 0 : valueOf(fallback);
  return (object) => {
    const name = governedKindNamed(object.kind)?.priorityClassOf?.(object);
    return { priority: name === undefined ? initial : (values.get(name) ?? initial) };
  };
}

/** A value that is no whole number counts as 0, and is reported. */
function ofLabel(key: string): PriorityOf {
  return ({ metadata }) => {
    const value = ownMember(metadata.labels, key);
    if (value === undefined) return { priority: 0 };
    if (/^-?\d{1,9}$/.test(value)) return { priority: Number(value) };
    const priorityFault = `the label ${key} counts as priority 0: ${JSON.stringify(value)} is no whole number of at most nine digits`;
    return { priority: 0, priorityFault };
  };
}

function valueOf(priorityClass: KubeObject): number {
  const { value } = fieldsOf(priorityClass);
  return typeof value === 'number' ? value : 0;
}
