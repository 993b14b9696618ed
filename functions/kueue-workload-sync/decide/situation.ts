/** The snapshot, parsed once for all steps of the decision. */
import { otherController } from '#shared/api/work/managed-by.ts';
import type { DecisionInput } from '#shared/domain/decision.ts';
import { fieldsOf } from '#shared/domain/json-value.ts';
import type { JsonObject, KubeObject, Resource } from '#shared/domain/objects.ts';
import { isSuspended, queueOf } from '#shared/domain/queue-labels.ts';
import type { PodSets, Queueing } from '#shared/api/work/queueing/queueing.ts';
import { queuedKindOf } from '#shared/api/work/queued-kinds.ts';
import type { QueueSnapshot } from '../snapshot.ts';
import { asWorkload, type Workload } from '../workload.ts';

export interface Situation {
  readonly snapshot: QueueSnapshot;
  readonly kind: Queueing;
  readonly job: KubeObject;
  readonly resource: Resource;
  readonly isSuspended: boolean;
  /** Another controller runs the job (`spec.managedBy`), so nothing of it runs here. */
  readonly isElsewhere: boolean;
  readonly queue: string;
  readonly workloads: readonly Workload[];
  readonly podSets: PodSets;
  readonly nowMs: number;
}

export function openSituation(
  snapshot: QueueSnapshot,
  job: KubeObject,
  { nowMs }: DecisionInput,
): Situation {
  const { queueing: kind, resource, suspension } = queuedKindOf(job);
  const object = job as unknown as JsonObject;
  return {
    ...{ snapshot, kind, job, resource, nowMs },
    isSuspended: isSuspended(object),
    isElsewhere: otherController(fieldsOf(object['spec']), suspension?.ownController) !== undefined,
    queue: queueOf(object),
    workloads: snapshot.workloads.map(asWorkload),
    podSets: kind.podSets(job, snapshot.needed),
  };
}
