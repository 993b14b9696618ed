/** The latest events, for watches that start in the past and for lists of a past state. */
import type { KubeObject } from '#shared/domain/objects.ts';
import type { StoreEvent } from './store-event.ts';

/**
 * history-1 The history has every event with a revision above `floor`, and no other. So the events
 *    after a revision are known if and only if it is not below `floor`.
 */
export class History {
  readonly #size: number;
  #events: (StoreEvent | undefined)[] = [];
  /**
   * Entries before this position are empty. They are cut off together when they are half of all.
   */
  #start = 0;
  #floor: number;

  constructor(size: number, floor: number) {
    this.#size = size;
    this.#floor = floor;
  }

  /** The oldest revision from which a watch can start. */
  get floor(): number {
    return this.#floor;
  }

  add(event: StoreEvent): void {
    this.#events.push(event);
    while (this.#events.length - this.#start > this.#size) this.#dropFirst();
  }

  /** Forgets the past, as etcd's compaction does: no watch can start before `revision`. */
  compact(revision: number): void {
    while (this.#floor < revision && this.#start < this.#events.length) {
      if ((this.#events[this.#start]?.revision ?? 0) > revision) break;
      this.#dropFirst();
    }
    this.#floor = Math.max(this.#floor, revision);
  }

  /** The events after `revision`, oldest first. */
  after(revision: number): readonly StoreEvent[] {
    let low = this.#start;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#events.slice(low).filter((event) => event !== undefined);
  }

  /** `present` as of `revision`. The later events of `concerns` are undone, newest first. */
  undone(
    present: Map<string, KubeObject>,
    revision: number,
    keyOf: (event: StoreEvent) => string | undefined,
  ): Map<string, KubeObject> {
    for (const event of this.after(revision).toReversed()) {
      const key = keyOf(event);
      if (key === undefined) continue;
      if (event.old === undefined) present.delete(key);
      else present.set(key, event.old);
    }
    return present;
  }

  #dropFirst(): void {
    this.#floor = this.#events[this.#start]?.revision ?? this.#floor;
    this.#events[this.#start] = undefined;
    this.#start += 1;
    if (this.#start * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#start);
      this.#start = 0;
    }
  }
}
