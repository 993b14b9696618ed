/** The writes of the integration, each bound to the version that was read. */
import { withCondition, type ConditionInput } from '#shared/domain/conditions.ts';
import { type JsonObject, objectName } from '#shared/domain/objects.ts';
import type {
  DeleteOperation,
  EmitEventOperation,
  Operation,
  PatchOperation,
  PatchStatusOperation,
  Plan,
} from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import { shortened } from '#shared/domain/wording.ts';
import { patchStatus } from '#shared/parents/conclude.ts';
import { inUseFinalizer, type Workload, type WorkloadCondition } from '../workload.ts';
import type { Situation } from './situation.ts';

/** Bound to the version that was read, because the job may have changed meanwhile. */
export function patchJob({ job, resource }: Situation, patch: JsonObject): PatchOperation {
  return {
    kind: 'patch',
    resource,
    target: objectName(job.metadata),
    uid: job.metadata.uid,
    resourceVersion: job.metadata.resourceVersion,
    patch,
  };
}

export function patchWorkload({ metadata }: Workload, patch: JsonObject): PatchOperation {
  const { uid, resourceVersion } = metadata;
  const target = objectName(metadata);
  return { kind: 'patch', resource: resources.Workload, target, uid, resourceVersion, patch };
}

export function patchWorkloadStatus(workload: Workload, status: JsonObject): PatchStatusOperation {
  return patchStatus(workload, resources.Workload, status);
}

/** Kueue's limit for the message of a condition, characters. */
const longestMessage = 32 * 1024;

export type NewCondition = Omit<ConditionInput, 'observedGeneration' | 'type'> & {
  readonly type: WorkloadCondition;
};

/** The whole list, because a merge patch replaces lists. */
export function conditionsWith(
  { metadata, status }: Workload,
  news: readonly NewCondition[],
  nowMs: number,
): JsonObject {
  const observedGeneration = metadata.generation ?? 0;
  let conditions = status?.conditions ?? [];
  for (const each of news) {
    const message = shortened(each.message, longestMessage);
    conditions = withCondition(conditions, { ...each, message, observedGeneration }, nowMs);
  }
  return { conditions: conditions.map((condition) => ({ ...condition })) };
}

/** Undefined: Millrace's finalizer is not set. */
export function withoutFinalizer(workload: Workload): PatchOperation | undefined {
  const { finalizers = [] } = workload.metadata;
  if (!finalizers.includes(inUseFinalizer)) return undefined;
  const left = finalizers.filter((finalizer) => finalizer !== inUseFinalizer);
  return { ...patchWorkload(workload, { metadata: { finalizers: left } }), isFinal: true };
}

/** Finalizers first. A Workload under deletion goes with its finalizer. */
export function removalOf(workloads: readonly Workload[]): Plan {
  return [
    workloads.flatMap((each) => present(withoutFinalizer(each))),
    workloads
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(deleteWorkload),
  ];
}

export function deleteWorkload({ metadata }: Workload): DeleteOperation {
  return {
    kind: 'delete',
    resource: resources.Workload,
    target: objectName(metadata),
    uid: metadata.uid,
    propagation: 'Background',
  };
}

/** Reasons are those of Kueue (jobframework/reconciler.go). `occurrence` distinguishes Events with the same reason. */
export function event(
  { snapshot: { key } }: Situation,
  reason: string,
  note: string,
  {
    occurrence,
    type = 'Normal',
  }: { readonly occurrence: string; readonly type?: 'Normal' | 'Warning' },
): EmitEventOperation {
  const { apiVersion, kind, namespace, name, uid } = key;
  return {
    kind: 'emitEvent',
    regarding: { apiVersion, kind, namespace, name, uid },
    ...{ type, reason, action: reason, occurrence },
    note: shortened(note, longestNote),
  };
}

const longestNote = 900;

export function present<Each extends Operation | NewCondition>(
  one: Each | undefined,
): readonly Each[] {
  return one === undefined ? [] : [one];
}

export function nameOf({ metadata }: Workload): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
