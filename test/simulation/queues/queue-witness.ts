/**
 * What must never happen to what waits in a queue of Kueue, judged at each commit and at rest, by facts alone.
 *
 * QU1 A Job of a queued flow may run only while a Workload of this flow holds quota.
 * QU2 At most one Workload of a flow holds quota.
 * QU3 Jobs of queued flows never ask for more together than the queue ever had to give.
 * QU4 At rest the Workload of a flow that has ended is Finished and free to go, and none is left of a flow that is gone.
 */
import { queueLabel } from '#shared/domain/queue-labels.ts';
import { controllerOf, type KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { ObjectStore, StoreEvent } from '#sandbox';
import { hasCondition } from '../invariants/flow-memory.ts';
import { workloadsOf } from './queues.ts';

export interface QueueWitnessOptions {
  readonly store: () => ObjectStore;
  /** CPUs that the queue gives away at once. */
  readonly cpu: number;
}

export class QueueWitness {
  readonly faults: string[] = [];
  readonly #options: QueueWitnessOptions;

  constructor(options: QueueWitnessOptions) {
    this.#options = options;
  }

  onChange({ object, resourceType: { plural } }: StoreEvent): void {
    if (plural === 'jobs') this.#look(controllerOf(object.metadata)?.uid);
    if (plural === 'workloads') this.#look(controllerOf(object.metadata)?.uid);
  }

  #look(uid: string | undefined): void {
    const store = this.#options.store();
    const flow = uid === undefined ? undefined : store.byUid(uid)?.object;
    if (flow === undefined || !isQueued(flow)) return;
    const running = runningJobsOf(store, flow);
    const holding = workloadsOf(store).filter((each) => isOf(each, flow) && holdsQuota(each));
    const { name } = flow.metadata;
    if (running.length > 0 && holding.length === 0) {
      const jobs = running.map(({ metadata }) => metadata.name).join(', ');
      this.faults.push(`QU1: ${jobs} of ${name} may run, and no Workload of it holds quota`);
    }
    if (holding.length > 1)
      this.faults.push(`QU2: ${holding.length} Workloads of ${name} hold quota`);
    this.#askTogether(store);
  }

  #askTogether(store: ObjectStore): void {
    const { cpu } = this.#options;
    const running = store
      .list(resources.JobFlow)
      .filter(isQueued)
      .flatMap((flow) => runningJobsOf(store, flow));
    const asked = running.reduce((sum, job) => sum + cpuOf(job), 0);
    if (asked <= cpu) return;
    const jobs = running.map(({ metadata }) => metadata.name).join(', ');
    this.faults.push(`QU3: ${jobs} ask for ${asked} CPUs together, the queue has ${cpu}`);
  }

  isAtRest(): boolean {
    return this.unrest().length === 0;
  }

  /** Workloads that are still to be finished or let go. */
  unrest(): readonly string[] {
    const store = this.#options.store();
    return workloadsOf(store).flatMap((workload) => {
      const { metadata } = workload;
      const owner = store.byUid(controllerOf(metadata)?.uid ?? '');
      if (owner === undefined) return [`QU4: ${metadata.name} is left of a flow that is gone`];
      const isFree = (metadata.finalizers ?? []).length === 0;
      if (hasCondition(workload, 'Finished') && isFree) return [];
      return [`QU4: ${metadata.name} is not finished: ${JSON.stringify(workload.status)}`];
    });
  }
}

function isQueued({ metadata }: KubeObject): boolean {
  return metadata.labels?.[queueLabel] !== undefined;
}

function isOf({ metadata }: KubeObject, owner: KubeObject): boolean {
  return controllerOf(metadata)?.uid === owner.metadata.uid;
}

function holdsQuota(workload: KubeObject): boolean {
  return hasCondition(workload, 'QuotaReserved') && !hasCondition(workload, 'Finished');
}

/** The Job controller makes Pods for them at any time. */
function runningJobsOf(store: ObjectStore, flow: KubeObject): readonly KubeObject[] {
  return store
    .list(resources.Job)
    .filter(
      (job) =>
        isOf(job, flow) &&
        job.metadata.deletionTimestamp === undefined &&
        (job.spec as { readonly suspend?: boolean }).suspend !== true &&
        !hasCondition(job, 'Complete') &&
        !hasCondition(job, 'Failed'),
    );
}

function cpuOf({ spec }: KubeObject): number {
  const { template } = spec as { readonly template: JobTemplate };
  const requests = template.spec.containers.map(({ resources: asked }) => asked?.requests?.['cpu']);
  return requests.reduce((sum, cpu) => sum + Number(cpu ?? 0), 0);
}

interface JobTemplate {
  readonly spec: {
    readonly containers: readonly {
      readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
    }[];
  };
}
