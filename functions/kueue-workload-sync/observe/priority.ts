/** The priority of a Workload: that of its class, else of its first Pod with a class, else the default. */
import type { PodSets } from '#shared/api/work/queueing/queueing.ts';
import { fieldOf } from './field-of.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { priorityLabel } from '#shared/domain/queue-labels.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Reader } from '#shared/kube/reader.ts';
import type { Priority } from '../snapshot.ts';

const { PriorityClass, WorkloadPriorityClass } = resources;

export async function priorityOf(
  job: KubeObject,
  podSets: PodSets,
  reader: Reader,
): Promise<Priority> {
  const className = job.metadata.labels?.[priorityLabel];
  if (className !== undefined && className !== '') {
    const found = await reader.get(WorkloadPriorityClass, { namespace: '', name: className });
    if (found === undefined) return { kind: 'missing', className };
    return known(found, { group: WorkloadPriorityClass.group, kind: WorkloadPriorityClass.kind });
  }
  const podClass = podPriorityClass(podSets);
  if (podClass === undefined) return { kind: 'known', value: 0 };
  const found = await reader.get(PriorityClass, { namespace: '', name: podClass });
  // The API server refuses Pods of a missing class.
  if (found === undefined) return { kind: 'known', value: 0 };
  return known(found, { group: PriorityClass.group, kind: PriorityClass.kind });
}

function known(
  object: KubeObject,
  { group, kind }: { readonly group: string; readonly kind: string },
): Priority {
  const { value } = object as { readonly value?: number };
  return {
    kind: 'known',
    value: value ?? 0,
    classRef: { group, kind, name: object.metadata.name },
  };
}

function podPriorityClass(described: PodSets): string | undefined {
  if (described.kind !== 'podSets') return undefined;
  for (const { template } of described.podSets) {
    const name = fieldOf(template, 'spec', 'priorityClassName');
    if (typeof name === 'string' && name !== '') return name;
  }
  return undefined;
}
