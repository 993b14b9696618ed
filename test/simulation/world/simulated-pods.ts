/**
 * The Pods of Jobs with problems: what keeps them from running, and how they failed. Scheduler and
 * kubelet phrase the same problem in several ways.
 */
import type { Clock } from '#shared/domain/clock.ts';
import { asResourceVersion, asUid, type KubeObject } from '#shared/domain/objects.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import type { ObjectStore, ResourceType } from '#sandbox';
import { jobController } from '../model/job-events.ts';
import type { Trouble } from '../pod-plans.ts';
import type { SeededRandom } from '../seeded-random.ts';

export interface SimulatedPodsOptions {
  readonly store: ObjectStore;
  readonly type: ResourceType;
  readonly eventType: ResourceType;
  readonly clock: Clock;
  readonly random: SeededRandom;
}

export class SimulatedPods {
  readonly #options: SimulatedPodsOptions;
  #created = 0;

  constructor(options: SimulatedPodsOptions) {
    this.#options = options;
  }

  /** A Pod that does not run. */
  hold(job: KubeObject, trouble: Exclude<Trouble, 'noPod'>): void {
    this.#create(job, this.#troubled(job, trouble));
  }

  /** Rewords the problem, as kubelet and scheduler do when they count and alternate. */
  rephrase(job: KubeObject, trouble: Exclude<Trouble, 'noPod'>): void {
    for (const pod of this.#of(job)) this.#put({ ...pod, status: this.#troubled(pod, trouble) });
  }

  /** No Pod can be created. An Event reports it in changing words, or nothing does. */
  refuse(job: KubeObject): void {
    const { store, eventType, random } = this.#options;
    if (random.chance(0.3)) return;
    const { name, namespace = '', uid } = job.metadata;
    this.#created += 1;
    const counts = `used: pods=${random.integer(1, 99)}`;
    store.put(eventType, {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: {
        name: `${name}.${this.#created}`,
        namespace,
        uid: asUid(`event-${this.#created}`),
        resourceVersion: asResourceVersion(''),
        creationTimestamp: this.#now(),
      },
      involvedObject: { apiVersion: 'batch/v1', kind: 'Job', name, namespace, uid },
      type: 'Warning',
      reason: 'FailedCreate',
      source: { component: jobController },
      message: `Error creating: pods "${name}-${this.#created}" is forbidden: exceeded quota: q, ${counts}`,
      lastTimestamp: this.#now(),
    } as KubeObject);
  }

  /** A Pod that is about to run. */
  show(job: KubeObject): void {
    if (this.#of(job).every((pod) => phaseOf(pod) === 'Failed')) {
      this.#create(job, { phase: 'Pending' });
    }
  }

  run(job: KubeObject): void {
    for (const pod of this.#of(job)) {
      if (phaseOf(pod) === 'Pending') this.#put({ ...pod, status: { phase: 'Running' } });
    }
  }

  succeed(job: KubeObject): void {
    for (const pod of this.#of(job)) this.#put({ ...pod, status: { phase: 'Succeeded' } });
  }

  /** The existing Pod, else a new one that failed. */
  fail(job: KubeObject, exitCode: number): void {
    const terminated = { exitCode, reason: 'Error', finishedAt: this.#now() };
    const containerStatuses = [{ name: 'main', image: 'busybox', state: { terminated } }];
    const status = { phase: 'Failed', containerStatuses };
    const [pod] = this.#of(job);
    if (pod === undefined) this.#create(job, status);
    else this.#put({ ...pod, status });
  }

  remove(job: KubeObject): void {
    const { store, type } = this.#options;
    for (const { metadata } of this.#of(job)) {
      store.remove(type, metadata.namespace ?? '', metadata.name);
    }
  }

  #troubled(of: KubeObject, trouble: Exclude<Trouble, 'noPod'>): KubeObject['status'] {
    const { random } = this.#options;
    const before = of.kind === 'Pod' ? statusOf(of) : {};
    if (trouble === 'unschedulable') {
      const condition = {
        ...{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' },
        message: `0/${random.integer(1, 9)} nodes are available: ${random.integer(1, 9)} Insufficient cpu.`,
        lastTransitionTime: before.conditions?.[0]?.lastTransitionTime ?? this.#now(),
      };
      return { phase: 'Pending', conditions: [condition] };
    }
    const reason = random.pick(['ErrImagePull', 'ImagePullBackOff']);
    const state = { waiting: { reason, message: `attempt ${random.integer(1, 99)}` } };
    return {
      phase: 'Pending',
      startTime: before.startTime ?? this.#now(),
      containerStatuses: [{ name: 'main', image: 'busybox', state }],
    };
  }

  #of({ metadata }: KubeObject): readonly KubeObject[] {
    const { store } = this.#options;
    return store
      .dependentsOf(metadata.uid)
      .flatMap(({ type, object }) => (type.plural === 'pods' ? [object] : []));
  }

  #create(job: KubeObject, status: KubeObject['status']): void {
    const { name, namespace = '', uid } = job.metadata;
    const { template } = job.spec as { readonly template: { readonly metadata?: object } };
    this.#created += 1;
    this.#put({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...template.metadata,
        name: `${name}-${this.#created}`,
        namespace,
        uid: asUid(`pod-${this.#created}`),
        resourceVersion: asResourceVersion(''),
        creationTimestamp: this.#now(),
        ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name, uid, controller: true }],
      },
      status,
    });
  }

  #put(pod: KubeObject): void {
    this.#options.store.put(this.#options.type, pod);
  }

  #now(): string {
    return rfc3339(this.#options.clock.now());
  }
}

function phaseOf(pod: KubeObject): string | undefined {
  return statusOf(pod).phase;
}

interface Status {
  readonly phase?: string;
  readonly startTime?: string;
  readonly conditions?: readonly { readonly lastTransitionTime: string }[];
}

function statusOf({ status }: KubeObject): Status {
  return status ?? {};
}
