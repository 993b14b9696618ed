/** What the objects of an owner that are gone have left: of the latest of all, so that memory is bounded. */
import type { Uid } from '#shared/domain/objects.ts';

const maxRemembered = 20_000;
/** Statuses are written every few seconds, and say then what had been removed: an older trace is not asked for. */
const askedForMs = 120_000;

interface Removal {
  readonly owner: Uid;
  readonly atMs: number;
}

export class RemovedTraces {
  readonly #nowMs: () => number;
  readonly #byOwner = new Map<Uid, Map<string, string>>();
  /** Oldest first. */
  readonly #order = new Map<string, Removal>();
  /** When the latest of those was removed that had to be forgotten. */
  #forgottenUpToMs = -Infinity;

  /** `nowMs`: monotonic. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Each removal that is still asked for has its trace here; false: what was forgotten is not known. */
  get isWhole(): boolean {
    return this.#nowMs() - this.#forgottenUpToMs > askedForMs;
  }

  /** `key` names the object among all of its resource; `trace` as `traceOf`. */
  add(owner: Uid, key: string, trace: string): void {
    this.#forget(key);
    this.#order.set(key, { owner, atMs: this.#nowMs() });
    const keys = this.#byOwner.get(owner);
    if (keys === undefined) this.#byOwner.set(owner, new Map([[key, trace]]));
    else keys.set(key, trace);
    if (this.#order.size <= maxRemembered) return;
    for (const [oldest, { atMs }] of this.#order) {
      this.#forgottenUpToMs = atMs;
      this.#forget(oldest);
      return;
    }
  }

  /** Traces by key, the latest last. */
  of(owner: Uid): ReadonlyMap<string, string> {
    return this.#byOwner.get(owner) ?? new Map<string, string>();
  }

  clear(): void {
    this.#byOwner.clear();
    this.#order.clear();
    this.#forgottenUpToMs = -Infinity;
  }

  #forget(key: string): void {
    const owner = this.#order.get(key)?.owner;
    if (owner === undefined) return;
    this.#order.delete(key);
    const keys = this.#byOwner.get(owner);
    keys?.delete(key);
    if (keys?.size === 0) this.#byOwner.delete(owner);
  }
}
