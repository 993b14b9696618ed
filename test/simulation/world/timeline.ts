/**
 * Virtual time and what is due in it. Every operation of every simulated process is an entry: the
 * arrival of a request, of its answer, of an item, the end of a sleep. So the seeded delays choose
 * the interleaving, and no step begins before the one before it has come to rest.
 *
 * T1 One entry runs at a time; all promises that it settles have run their course before the next.
 * T2 Entries run in the order of time, those of one moment in the order of their making.
 * T3 What belongs to a dead process does not run; what belongs to a stopped one waits.
 */
import { restWithTurns } from './event-loop-turns.ts';

/** Whose memory an entry touches. */
export interface Life {
  readonly name: string;
  alive: boolean;
  /** Stopped (as by SIGSTOP) until this time, in virtual milliseconds. */
  stoppedUntilMs: number;
}

export interface Entry {
  readonly life: Life;
  readonly label: string;
  readonly run: () => void;
  atMs: number;
  order: number;
  cancelled: boolean;
}

/** The cluster itself, which neither crashes nor stops. */
export const cluster: Life = { name: 'cluster', alive: true, stoppedUntilMs: 0 };

export class Timeline {
  /** Virtual milliseconds since the start; not whole. */
  nowMs = 0;
  /** Entries that ran. */
  steps = 0;
  readonly #heap: Entry[] = [];
  readonly #rests: (next: () => void) => void;
  #made = 0;

  /** `usesEventLoop`: what runs waits for turns of the event loop (batches of a watch do). */
  constructor({ usesEventLoop }: { readonly usesEventLoop: boolean }) {
    this.#rests = usesEventLoop ? restWithTurns(afterAllPromises) : afterAllPromises;
  }

  after(delayMs: number, life: Life, label: string, run: () => void): Entry {
    this.#made += 1;
    const atMs = this.nowMs + Math.max(0, delayMs);
    const entry = { life, label, run, atMs, order: this.#made, cancelled: false };
    this.#push(entry);
    return entry;
  }

  /**
   * Runs entries until `isOver` says so or nothing is due before `untilMs`. Resolves to whether
   * `isOver` did.
   */
  run(untilMs: number, isOver: () => boolean): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const turn = (): void => {
        try {
          if (isOver()) {
            resolve(true);
            return;
          }
          if (!this.#step(untilMs)) {
            this.nowMs = Math.max(this.nowMs, untilMs);
            resolve(false);
            return;
          }
          this.#rests(turn);
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      this.#rests(turn);
    });
  }

  #step(untilMs: number): boolean {
    for (;;) {
      const entry = this.#heap[0];
      if (entry === undefined || entry.atMs > untilMs) return false;
      this.#pop();
      if (entry.cancelled || !entry.life.alive) continue;
      if (entry.life.stoppedUntilMs > entry.atMs) {
        entry.atMs = entry.life.stoppedUntilMs;
        this.#push(entry);
        continue;
      }
      this.nowMs = entry.atMs;
      this.steps += 1;
      entry.run();
      return true;
    }
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      const above = heap[parent]!;
      if (!isBefore(entry, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
  }
}

/**
 * When all promise callbacks have run, those of callbacks as well (T1): Node empties that queue before
 * it looks at the ticks. A turn of the event loop would do too and costs several times as much.
 */
function afterAllPromises(next: () => void): void {
  queueMicrotask(() => process.nextTick(next));
}

function isBefore(left: Entry, right: Entry): boolean {
  return left.atMs < right.atMs || (left.atMs === right.atMs && left.order < right.order);
}
