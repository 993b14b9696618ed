/** The snapshot, opened once for all steps of the decision. */
import type { DecisionInput } from '#shared/domain/decision.ts';
import type { JsonObject, KubeObject } from '#shared/domain/objects.ts';
import { queueOf } from '#shared/domain/queue-labels.ts';
import type { PodSets, QueuedKind } from '../kinds/queued-kind.ts';
import type { QueueSnapshot } from '../snapshot.ts';
import { asWorkload, type Workload } from '../workload.ts';

export interface Situation {
  readonly snapshot: QueueSnapshot;
  readonly kind: QueuedKind;
  readonly job: KubeObject;
  readonly queue: string;
  readonly workloads: readonly Workload[];
  readonly podSets: PodSets;
  readonly nowMs: number;
}

export function openSituation(
  kind: QueuedKind,
  snapshot: QueueSnapshot,
  job: KubeObject,
  { nowMs }: DecisionInput,
): Situation {
  return {
    ...{ snapshot, kind, job, nowMs },
    queue: queueOf(job as unknown as JsonObject),
    workloads: snapshot.workloads.map(asWorkload),
    podSets: kind.podSets(job, snapshot.templates),
  };
}
