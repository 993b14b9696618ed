/**
 * Tells a history that was rewritten (etcd restored from a backup, another cluster at the address)
 * from a server that lags behind.
 *
 * A list without resourceVersion promises the most recent state: the server asks etcd's quorum. Its
 * version cannot fall while the history lasts, so an older one comes either from a server or proxy
 * that breaks the promise, or from another history. One list does not tell which. A run of them does:
 *
 * F1 Their versions never fall among themselves. Several servers that lag differently do not agree.
 * F2 There are enough of them, and the waits between them add up to long enough: a server that lags catches
 *    up meanwhile, and one list that is not older begins everything anew.
 * F3 Where their versions rise, somebody writes to that history: it is alive. A server that is cut off
 *    from etcd stands still, and so does a cluster in which nothing happens; for those it takes longer.
 *
 * Sources: the API concepts' "semantics for get and list" (resourceVersion unset), KEP-2340
 * (consistent reads from the cache), Sieve (OSDI 2022; controllers that went back to a stale server).
 */
import type { ResourceVersion } from '#shared/domain/objects.ts';
import type { HistoryTimes } from './reflector-options.ts';
import { isNewer } from '#shared/domain/resource-version.ts';

export class RefusedLists {
  #count = 0;
  #waitedMs = 0;
  #rose = false;
  #last: ResourceVersion | undefined;

  /** In a row, without a fall among them. */
  get count(): number {
    return this.#count;
  }

  /** Between the first and the last of them, in milliseconds of waiting; a clock's jump adds nothing. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  /** Of the last one; undefined while none is refused. */
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

  /** Whether they are of another history (F1 to F3). */
  areAnotherHistory({ refusals, risingMs, standingMs }: HistoryTimes): boolean {
    return this.#count >= refusals && this.#waitedMs >= (this.#rose ? risingMs : standingMs);
  }
}
