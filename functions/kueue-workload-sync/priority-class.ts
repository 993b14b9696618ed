/** Whether a Workload has the WorkloadPriorityClass of its job's label (kueue, classifyWorkloadsForPriorityUpdate). */
import { fieldsOf } from '#shared/domain/json-value.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { priorityLabel } from '#shared/domain/queue-labels.ts';
import { resources } from '#shared/domain/resources.ts';
import { holds, type Workload } from './workload.ts';

/** Kueue accepts no new class once quota is reserved without one. A class of Pods follows no label. */
export function isOfAnotherClass(workload: Workload, { metadata }: KubeObject): boolean {
  const { priorityClassRef } = workload.spec;
  const { kind, name } = fieldsOf(priorityClassRef);
  const wanted = metadata.labels?.[priorityLabel] ?? '';
  if (priorityClassRef === undefined) return wanted !== '' && !holds(workload, 'QuotaReserved');
  return kind === resources.WorkloadPriorityClass.kind && name !== wanted;
}
