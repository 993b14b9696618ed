/** The kubelet of Pods that AppWrappers wrap directly: it runs them, and removes deleted ones. */
import type { Clock } from '#shared/domain/clock.ts';
import { controllerOf, type KubeObject } from '#shared/domain/objects.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import type { ObjectStore, StoreEvent } from '#sandbox';
import type { JobPlan } from '../world/job-controller.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { Life, Timeline } from '../world/timeline.ts';

export interface WrappedPodsOptions {
  readonly store: ObjectStore;
  readonly timeline: Timeline;
  readonly life: Life;
  readonly clock: Clock;
  readonly random: SeededRandom;
  readonly planOf: (pod: KubeObject) => JobPlan | undefined;
}

/** Exit code after SIGTERM. */
const terminatedCode = 143;

export class WrappedPods {
  readonly #options: WrappedPodsOptions;

  constructor(options: WrappedPodsOptions) {
    this.#options = options;
  }

  onChange({ type, object, resourceType, old }: StoreEvent): void {
    if (resourceType.plural !== 'pods' || type === 'DELETED') return;
    if (controllerOf(object.metadata)?.kind !== 'AppWrapper') return;
    if (type === 'ADDED') this.#after(this.#delay(), object, (pod) => this.#begin(pod));
    const { deletionTimestamp } = object.metadata;
    if (deletionTimestamp === undefined || old?.metadata.deletionTimestamp !== undefined) return;
    this.#after(this.#delay(), object, (pod) => this.#terminate(pod));
  }

  #begin(pod: KubeObject): void {
    if (pod.metadata.deletionTimestamp !== undefined) return;
    const { planOf } = this.#options;
    const { runMs = 0, failures = 0, exitCode = 1 } = planOf(pod) ?? {};
    const spec = { ...(pod.spec as object), nodeName: 'wrapped' };
    this.#put({ ...pod, spec, status: { phase: 'Running' } });
    this.#after(runMs, pod, (later) => {
      if (later.metadata.deletionTimestamp !== undefined) return;
      this.#put({ ...later, status: ended(failures > 0 ? exitCode : 0, this.#now()) });
    });
  }

  /** Its containers may end before it is gone. */
  #terminate(pod: KubeObject): void {
    const { phase } = pod.status as { readonly phase?: string };
    if (phase === 'Running' && this.#options.random.chance(0.5)) {
      this.#put({ ...pod, status: ended(terminatedCode, this.#now()) });
    }
    this.#after(this.#delay(), pod, (later) => this.#letGo(later));
  }

  /** An object with another finalizer stays until that is removed. */
  #letGo({ metadata }: KubeObject): void {
    const { store } = this.#options;
    const type = store.byUid(metadata.uid)?.type;
    if (type === undefined || (metadata.finalizers ?? []).length > 0) return;
    store.remove(type, metadata.namespace ?? '', metadata.name);
  }

  #put(pod: KubeObject): void {
    const { store } = this.#options;
    const type = store.byUid(pod.metadata.uid)?.type;
    if (type !== undefined) store.put(type, pod);
  }

  /** On the Pod's state at that time. */
  #after(delayMs: number, { metadata }: KubeObject, act: (pod: KubeObject) => void): void {
    const { timeline, life, store } = this.#options;
    timeline.after(delayMs, life, `kubelet ${metadata.name}`, () => {
      const now = store.byUid(metadata.uid)?.object;
      if (now !== undefined) act(now);
    });
  }

  #delay(): number {
    return this.#options.random.between(1, 200);
  }

  #now(): string {
    return rfc3339(this.#options.clock.now());
  }
}

function ended(exitCode: number, finishedAt: string): KubeObject['status'] {
  const terminated = { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', finishedAt };
  return {
    phase: exitCode === 0 ? 'Succeeded' : 'Failed',
    containerStatuses: [{ name: 'main', image: 'busybox', state: { terminated } }],
  };
}
