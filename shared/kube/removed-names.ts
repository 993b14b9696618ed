/** Which objects of an owner are gone: the latest of all, so that memory is bounded. */
import type { Uid } from '#shared/domain/objects.ts';

/** More than are removed within the seconds for which anybody asks. */
const maxRemembered = 20_000;

export class RemovedNames {
  readonly #byOwner = new Map<Uid, Set<string>>();
  /** Oldest first. */
  readonly #order = new Map<string, Uid>();

  /** `key` names the object among all of its resource. */
  add(owner: Uid, key: string): void {
    this.#forget(key);
    this.#order.set(key, owner);
    const keys = this.#byOwner.get(owner);
    if (keys === undefined) this.#byOwner.set(owner, new Set([key]));
    else keys.add(key);
    if (this.#order.size <= maxRemembered) return;
    const [oldest = ''] = this.#order.keys();
    this.#forget(oldest);
  }

  of(owner: Uid): readonly string[] {
    return [...(this.#byOwner.get(owner) ?? [])];
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
