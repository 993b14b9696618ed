/** I10: a name that a Job under deletion still holds is asked for now and then, not again and again. */
import { resources } from '#shared/domain/resources.ts';
import type { ObjectStore } from '#functions/sandbox/store/object-store.ts';
import { namespace } from '../flow-objects.ts';
import type { RequestName } from '../world/simulated-client.ts';

/** Two replicas with faults on every side ask this often at most; virtual milliseconds. */
const mostAttempts = 10;
const windowMs = 10_000;

export class HeldNames {
  readonly #attempts = new Map<string, number[]>();

  /** To be called before each write is carried out; says what is wrong with it. */
  faultsOf(write: RequestName, store: ObjectStore, nowMs: number): readonly string[] {
    if (write.verb !== 'create' || write.resource.kind !== 'Job') return [];
    const holder = store.get(resources.Job, namespace, write.name);
    if (holder?.metadata.deletionTimestamp === undefined) return [];
    const earlier = this.#attempts.get(write.name) ?? [];
    const attempts = [...earlier.filter((atMs) => atMs > nowMs - windowMs), nowMs];
    this.#attempts.set(write.name, attempts);
    return attempts.length === mostAttempts
      ? [`I10: ${write.name} was asked for ${mostAttempts} times while it was being deleted`]
      : [];
  }
}
