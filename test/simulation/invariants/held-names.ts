/** I10: a name that a Job in deletion holds is tried from time to time, not continuously. */
import { resources } from '#shared/domain/resources.ts';
import type { ObjectStore } from '#sandbox';
import { namespace } from '../flow-objects.ts';
import type { RequestName } from '../world/simulated-client.ts';

/** Two replicas may try this often within the window (virtual milliseconds). */
const mostAttempts = 9;
const windowMs = 10_000;

interface Attempt {
  readonly atMs: number;
  /** Number of strikes by then. */
  readonly struck: number;
}

export class HeldNames {
  readonly #attempts = new Map<string, Attempt[]>();
  readonly #struck: () => number;

  constructor(struck: () => number) {
    this.#struck = struck;
  }

  /** Call it before each write is carried out; returns its faults. */
  faultsOf(write: RequestName, store: ObjectStore, nowMs: number): readonly string[] {
    if (write.verb !== 'create' || write.resource.kind !== 'Job') return [];
    const holder = store.get(resources.Job, namespace, write.name);
    if (holder?.metadata.deletionTimestamp === undefined) return [];
    const earlier = this.#attempts.get(write.name) ?? [];
    const attempts = earlier.filter(({ atMs }) => atMs > nowMs - windowMs);
    attempts.push({ atMs: nowMs, struck: this.#struck() });
    this.#attempts.set(write.name, attempts);
    return attempts.length <= mostAttempts + struckMeanwhile(attempts)
      ? []
      : [`I10: ${write.name} was asked for ${attempts.length} times while it was being deleted`];
  }
}

/** A strike may prevent one refusal from being recorded; the create is then repeated. */
function struckMeanwhile(attempts: readonly Attempt[]): number {
  return (attempts.at(-1)?.struck ?? 0) - (attempts[0]?.struck ?? 0);
}
