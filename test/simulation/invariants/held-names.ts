/** I10: a name that a Job under deletion still holds is asked for now and then, not again and again. */
import { resources } from '#shared/domain/resources.ts';
import type { ObjectStore } from '#sandbox';
import { namespace } from '../flow-objects.ts';
import type { RequestName } from '../world/simulated-client.ts';

/** So often two replicas ask within this time, virtual milliseconds. */
const mostAttempts = 9;
const windowMs = 10_000;

interface Attempt {
  readonly atMs: number;
  /** How much had struck by then. */
  readonly struck: number;
}

export class HeldNames {
  readonly #attempts = new Map<string, Attempt[]>();
  readonly #struck: () => number;

  constructor(struck: () => number) {
    this.#struck = struck;
  }

  /** To be called before each write is carried out; says what is wrong with it. */
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

/** Whatever strikes may keep one refusal from being recorded, and what is not recorded is asked again. */
function struckMeanwhile(attempts: readonly Attempt[]): number {
  return (attempts.at(-1)?.struck ?? 0) - (attempts[0]?.struck ?? 0);
}
