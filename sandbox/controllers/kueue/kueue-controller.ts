/**
 * A small stand-in for Kueue's manager: ClusterQueues without cohorts, quota by flavor, priority, preemption within a
 * ClusterQueue, checks, stop policies. It has no topologies, partial admission, time limits or webhooks. It manages no
 * kind of job and serves Workloads of any manager.
 */
import type { KubeObject } from '#shared/domain/objects.ts';
import type { StoreEvent } from '../../store/object-store.ts';
import type { Controller, ControllerApi, ControllerContext } from '../controller.ts';
import type { RecordEvent } from '../events/event-recorder.ts';
import { Writes } from '../writes.ts';
import { nextAdmission } from './admission.ts';
import { kueueGroup } from './definitions.ts';
import { conditionOf, type Queues, type Workload, type WorkloadStatus } from './queue-objects.ts';
import { clusterQueueStatus, localQueueStatus } from './queue-status.ts';
import { type QueueKind, queueType, readQueues } from './read-queues.ts';
import { isOpen, type Turn, turnOf } from './workload-turn.ts';

/** All queues are one key: one Workload may use what another one frees. */
const everything = 'queues';

export class KueueController implements Controller {
  readonly name = 'kueue';
  readonly #record: RecordEvent;

  constructor(record: RecordEvent) {
    this.#record = record;
  }

  keysFor({ resourceType }: StoreEvent): readonly string[] {
    return resourceType.group === kueueGroup ? [everything] : [];
  }

  /** One write. Its consequences are the next turn. */
  reconcile(_key: string, { api, clock }: ControllerContext): number | undefined {
    const queues = readQueues(api);
    const nowMs = clock.now();
    const turn = nextTurn(queues, nowMs);
    if (turn?.kind === 'deactivate') this.#deactivate(api, turn.workload);
    else if (turn !== undefined) this.#tell(api, turn.workload, turn.status);
    else this.#count(api, queues, nowMs);
    return undefined;
  }

  #tell(api: ControllerApi, workload: Workload, status: WorkloadStatus): void {
    this.#write(api, 'workloads', workload, status);
    for (const type of ['QuotaReserved', 'Admitted', 'Preempted'] as const) {
      const before = conditionOf(workload.status, type)?.status;
      const after = conditionOf(status, type);
      if (after?.status !== 'True' || before === 'True') continue;
      this.#record(workload, { type: 'Normal', reason: type, message: after.message });
    }
  }

  #deactivate(api: ControllerApi, workload: Workload): void {
    const type = queueType(api, 'workloads');
    if (type === undefined) return;
    new Writes(api, 'kueue').update(type, {
      ...workload,
      spec: { ...workload.spec, active: false },
    });
  }

  #count(api: ControllerApi, queues: Queues, nowMs: number): void {
    for (const queue of queues.localQueues.values()) {
      this.#write(api, 'localqueues', queue, localQueueStatus(queues, queue, nowMs));
    }
    for (const queue of queues.clusterQueues.values()) {
      this.#write(api, 'clusterqueues', queue, clusterQueueStatus(queues, queue, nowMs));
    }
  }

  #write(
    api: ControllerApi,
    plural: QueueKind,
    object: KubeObject,
    status: object | undefined,
  ): void {
    const type = queueType(api, plural);
    if (type === undefined || status === undefined) return;
    new Writes(api, 'kueue').updateStatus(type, object, status);
  }
}

/** Undefined: no Workload needs a change. */
function nextTurn(
  queues: Queues,
  nowMs: number,
): (Turn & { readonly workload: Workload }) | undefined {
  for (const workload of queues.workloads) {
    const turn = turnOf(queues, workload, nowMs);
    if (turn !== undefined) return { ...turn, workload };
  }
  for (const clusterQueue of queues.clusterQueues.values()) {
    if (!isOpen(queues, clusterQueue)) continue;
    const change = nextAdmission(queues, clusterQueue, nowMs);
    if (change !== undefined) return { kind: 'status', ...change };
  }
  return undefined;
}
