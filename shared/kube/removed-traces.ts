/** Most traces of deleted objects; the oldest are dropped, so that memory is bounded. */
import type { Uid } from '#shared/domain/objects.ts';

const maxRemembered = 20_000;
/** Statuses are written every few seconds and record removals then, so older traces are not needed. */
const askedForMs = 120_000;

interface Removal {
  readonly owner: Uid;
  readonly trace: string;
  readonly atMs: number;
}

export class RemovedTraces {
  readonly #nowMs: () => number;
  /** The key of the object by its trace. */
  readonly #byOwner = new Map<Uid, Map<string, string>>();
  /** Oldest first, by owner and trace. */
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
    const removal = { owner, trace, atMs: this.#nowMs() };
    this.#forget(removal);
    this.#order.set(orderKey(removal), removal);
    const keys = this.#byOwner.get(owner);
    if (keys === undefined) this.#byOwner.set(owner, new Map([[trace, key]]));
    else keys.set(trace, key);
    if (this.#order.size <= maxRemembered) return;
    for (const oldest of this.#order.values()) {
      this.#forgottenUpToMs = oldest.atMs;
      this.#forget(oldest);
      return;
    }
  }

  /** Keys by trace, the latest last. */
  of(owner: Uid): ReadonlyMap<string, string> {
    return this.#byOwner.get(owner) ?? new Map<string, string>();
  }

  clear(): void {
    this.#byOwner.clear();
    this.#order.clear();
    this.#forgottenUpToMs = -Infinity;
  }

  #forget({ owner, trace }: Pick<Removal, 'owner' | 'trace'>): void {
    this.#order.delete(orderKey({ owner, trace }));
    const keys = this.#byOwner.get(owner);
    keys?.delete(trace);
    if (keys?.size === 0) this.#byOwner.delete(owner);
  }
}

function orderKey({ owner, trace }: Pick<Removal, 'owner' | 'trace'>): string {
  return `${owner}/${trace}`;
}
