/** What the objects of an owner that are gone have left: of the latest of all, so that memory is bounded. */
import type { Uid } from '#shared/domain/objects.ts';

/** More than are removed within the seconds for which anybody asks. */
const maxRemembered = 20_000;

export class RemovedTraces {
  readonly #byOwner = new Map<Uid, Map<string, string>>();
  /** Oldest first. */
  readonly #order = new Map<string, Uid>();

  /** `key` names the object among all of its resource; `trace` as `traceOf`. */
  add(owner: Uid, key: string, trace: string): void {
    this.#forget(key);
    this.#order.set(key, owner);
    const keys = this.#byOwner.get(owner);
    if (keys === undefined) this.#byOwner.set(owner, new Map([[key, trace]]));
    else keys.set(key, trace);
    if (this.#order.size <= maxRemembered) return;
    const [oldest = ''] = this.#order.keys();
    this.#forget(oldest);
  }

  /** Traces by key, the latest last. */
  of(owner: Uid): ReadonlyMap<string, string> {
    return this.#byOwner.get(owner) ?? new Map<string, string>();
  }

  clear(): void {
    this.#byOwner.clear();
    this.#order.clear();
  }

  #forget(key: string): void {
    const owner = this.#order.get(key);
    if (owner === undefined) return;
    this.#order.delete(key);
    const keys = this.#byOwner.get(owner);
    keys?.delete(key);
    if (keys?.size === 0) this.#byOwner.delete(owner);
  }
}
