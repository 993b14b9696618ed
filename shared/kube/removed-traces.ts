/** Most traces of deleted objects; the oldest are dropped, so that memory is bounded. */
import type { Uid } from '#shared/domain/objects.ts';

const maxRemembered = 20_000;
/** Statuses are written every few seconds and record removals then, so older traces are not needed. */
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
  /** When the latest dropped one was removed. */
  #forgottenUpToMs = -Infinity;

  /** `nowMs`: monotonic. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Every removal that may still be asked for has a trace here. False: some were dropped. */
  get isWhole(): boolean {
    return this.#nowMs() - this.#forgottenUpToMs > askedForMs;
  }

  /** `key` identifies the object within its resource; `trace` is from `traceOf`. */
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
