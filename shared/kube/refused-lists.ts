/**
 * Distinguishes a rewritten history (etcd restored from a backup, another cluster at the address) from a
 * lagging server.
 *
 * A list without resourceVersion promises the most recent state, because the server asks etcd's quorum. Its
 * version cannot fall within one history. So an older one comes either from a server or proxy that breaks
 * the promise, or from another history. One list does not show which. A run of them does:
 *
 * refused-list-1 Their versions never fall among themselves. Several servers that lag differently do not agree.
 * refused-list-2 There are enough of them, with enough waiting between them. A lagging server catches up meanwhile, and
 *    one list that is not older resets the count.
 * refused-list-3 If their versions rise, that history receives writes: it is alive. A server that is cut off from etcd
 *    stands still, and so does an idle cluster; for those it takes longer.
 *
 * Sources: the API concepts' "semantics for get and list" (resourceVersion unset), KEP-2340 (consistent
 * reads from the cache), Sieve (OSDI 2022; controllers that went back to a stale server).
 */
import type { ResourceVersion } from '#shared/domain/objects.ts';
import type { HistoryTimes } from './reflector-options.ts';
import { isNewer } from '#shared/domain/resource-version.ts';

export class RefusedLists {
  #count = 0;
  #waitedMs = 0;
  #rose = false;
  #last: ResourceVersion | undefined;

  /** Number in a row, without a fall among them. */
  get count(): number {
    return this.#count;
  }

  /** Total wait between the first and the last of them, in milliseconds. A clock's jump adds nothing. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  /** Version of the last one. Undefined: none is refused. */
  get version(): ResourceVersion | undefined {
    return this.#last;
  }

  add(version: ResourceVersion): void {
    if (this.#last !== undefined && isNewer(this.#last, version)) this.clear();
    if (this.#last !== undefined && isNewer(version, this.#last)) this.#rose = true;
    this.#count += 1;
    this.#last = version;
  }

  waited(ms: number): void {
    if (this.#count > 0) this.#waitedMs += ms;
  }

  clear(): void {
    this.#count = 0;
    this.#waitedMs = 0;
    this.#rose = false;
    this.#last = undefined;
  }

  /** Whether they are of another history (refused-list-1 to refused-list-3). */
  areAnotherHistory({ refusals, risingMs, standingMs }: HistoryTimes): boolean {
    return this.#count >= refusals && this.#waitedMs >= (this.#rose ? risingMs : standingMs);
  }
}
