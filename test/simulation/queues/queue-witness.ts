/**
 * Invariants of queued objects, judged at each commit and at rest, by facts alone. An owner is a flow or an AppWrapper.
 *
 * queued-1 A Job of a queued owner, or a Pod of an AppWrapper, runs only while a Workload of the owner has quota.
 * queued-2 At most one Workload of an owner has quota.
 * queued-3 Running queued owners never request more in total than the queue's largest quota.
 * queued-4 At rest the Workload of an ended owner is Finished and has no finalizer, and an owner that is gone has none.
 */
import { labels } from '#shared/domain/labels.ts';
import { controllerOf, type KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { ObjectStore, StoreEvent } from '#sandbox';
import { hasCondition } from '../invariants/flow-memory.ts';
import { isInQueue, workloadsOf } from './queues.ts';

export interface QueueWitnessOptions {
  readonly store: () => ObjectStore;
  /** CPUs of the queue's quota. */
  readonly cpu: number;
  /** Whether its creator could not know that it was no longer wanted, or the end of its owner that it exists. */
  readonly isStray: (object: KubeObject) => boolean;
}

export class QueueWitness {
  readonly faults: string[] = [];
  readonly #options: QueueWitnessOptions;

  constructor(options: QueueWitnessOptions) {
    this.#options = options;
  }

  onChange({ object, resourceType: { plural } }: StoreEvent): void {
    if (looksAt.has(plural)) this.#look(controllerOf(object.metadata)?.uid);
  }

  #look(uid: string | undefined): void {
    const store = this.#options.store();
    const owner = uid === undefined ? undefined : store.byUid(uid)?.object;
    if (owner === undefined || !isInQueue(owner.metadata)) return;
    const running = this.#runningOf(owner);
    const holding = workloadsOf(store).filter((each) => isOf(each, owner) && holdsQuota(each));
    const { name } = owner.metadata;
    if (running.length > 0 && holding.length === 0) {
      this.faults.push(
        `queued-1: ${namesOf(running)} of ${name} may run, and no Workload of it holds quota`,
      );
    }
    if (holding.length > 1)
      this.faults.push(`queued-2: ${holding.length} Workloads of ${name} hold quota`);
    this.#askTogether(store);
  }

  #askTogether(store: ObjectStore): void {
    const { cpu } = this.#options;
    const owners = [resources.JobFlow, resources.AppWrapper].flatMap((kind) => store.list(kind));
    const running = owners
      .filter(({ metadata }) => isInQueue(metadata))
      .flatMap((owner) => this.#runningOf(owner));
    const asked = running.reduce((sum, each) => sum + cpuOf(each), 0);
    if (asked <= cpu) return;
    this.faults.push(
      `queued-3: ${namesOf(running)} ask for ${asked} CPUs together, the queue has ${cpu}`,
    );
  }

  #runningOf(owner: KubeObject): readonly KubeObject[] {
    const { store, isStray } = this.#options;
    const runningOf = owner.kind === 'JobFlow' ? runningJobsOf : runningPartsOf;
    return runningOf(store(), owner).filter((part) => !isStray(part));
  }

  isAtRest(): boolean {
    return this.unrest().length === 0;
  }

  /** Workloads that must still be finished or released. */
  unrest(): readonly string[] {
    const store = this.#options.store();
    return workloadsOf(store).flatMap((workload) => {
      const { metadata } = workload;
      const owner = store.byUid(controllerOf(metadata)?.uid ?? '');
      if (owner === undefined)
        return [`queued-4: ${metadata.name} is left of an owner that is gone`];
      const isFree = (metadata.finalizers ?? []).length === 0;
      if (hasCondition(workload, 'Finished') && isFree) return [];
      return [`queued-4: ${metadata.name} is not finished: ${JSON.stringify(workload.status)}`];
    });
  }
}

/** Changes of these resources may break a rule. */
const looksAt: ReadonlySet<string> = new Set(['jobs', 'pods', 'workloads']);

function namesOf(objects: readonly KubeObject[]): string {
  return objects.map(({ metadata }) => metadata.name).join(', ');
}

function isOf({ metadata }: KubeObject, owner: KubeObject): boolean {
  return controllerOf(metadata)?.uid === owner.metadata.uid;
}

function holdsQuota(workload: KubeObject): boolean {
  return hasCondition(workload, 'QuotaReserved') && !hasCondition(workload, 'Finished');
}

/**
 * The Job controller may create Pods for them at any time. The deletion of a flow does not wait for a Job whose label
 * a user took away: the garbage collector deletes it.
 */
function runningJobsOf(store: ObjectStore, flow: KubeObject): readonly KubeObject[] {
  const isGoing = flow.metadata.deletionTimestamp !== undefined;
  return store
    .list(resources.Job)
    .filter(
      (job) =>
        isOf(job, flow) &&
        !(isGoing && job.metadata.labels?.[labels.ownerUid] === undefined) &&
        job.metadata.deletionTimestamp === undefined &&
        (job.spec as { readonly suspend?: boolean }).suspend !== true &&
        !hasEnded(job),
    );
}

/** Parts of an AppWrapper; one in deletion keeps its quota until it is gone. */
function runningPartsOf(store: ObjectStore, wrapper: KubeObject): readonly KubeObject[] {
  const parts = [...store.list(resources.Job), ...store.list(resources.Pod)];
  return parts.filter((part) => isOf(part, wrapper) && !hasEnded(part));
}

function hasEnded(object: KubeObject): boolean {
  const { phase } = (object.status ?? {}) as { readonly phase?: string };
  const isOver = phase === 'Succeeded' || phase === 'Failed';
  return isOver || hasCondition(object, 'Complete') || hasCondition(object, 'Failed');
}

function cpuOf({ kind, spec }: KubeObject): number {
  const { containers } = kind === 'Pod' ? (spec as PodSpec) : (spec as JobSpec).template.spec;
  const requests = containers.map(({ resources: asked }) => asked?.requests?.['cpu']);
  return requests.reduce((sum, cpu) => sum + Number(cpu ?? 0), 0);
}

interface JobSpec {
  readonly template: { readonly spec: PodSpec };
}

interface PodSpec {
  readonly containers: readonly {
    readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
  }[];
}
