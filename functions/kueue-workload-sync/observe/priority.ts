/** The priority of a Workload: of its class, else of the first of its Pods that have one, else the default. */
import type { JobFlow } from '#shared/api/job-flow.ts';
import { fieldOf } from './field-of.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { priorityLabel } from '#shared/domain/queue-labels.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Reader } from '#shared/kube/reader.ts';
import type { Templates } from '../kinds/queued-kind.ts';
import type { Priority } from '../snapshot.ts';

const { PriorityClass, WorkloadPriorityClass } = resources;

export async function priorityOf(
  job: KubeObject,
  templates: Templates,
  reader: Reader,
): Promise<Priority> {
  const className = job.metadata.labels?.[priorityLabel];
  if (className !== undefined && className !== '') {
    const found = await reader.get(WorkloadPriorityClass, { namespace: '', name: className });
    if (found === undefined) return { kind: 'missing', className };
    return known(found, { group: WorkloadPriorityClass.group, kind: WorkloadPriorityClass.kind });
  }
  const podClass = podPriorityClass(job, templates);
  if (podClass === undefined) return { kind: 'known', value: 0 };
  const found = await reader.get(PriorityClass, { namespace: '', name: podClass });
  // The API server refuses Pods of a class that is not there.
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

function podPriorityClass(job: KubeObject, templates: Templates): string | undefined {
  const { spec } = job as unknown as JobFlow;
  for (const { jobTemplate, jobTemplateRef } of spec.flows) {
    const template = jobTemplate ?? ownMember(templates, jobTemplateRef ?? '');
    const name = fieldOf(template, 'template', 'spec', 'priorityClassName');
    if (typeof name === 'string' && name !== '') return name;
  }
  return undefined;
}
