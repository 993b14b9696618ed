/**
 * Virtual time and its due entries. Every operation of every simulated process is an entry: the arrival
 * of a request, of its answer or of an item, or the end of a sleep. So the seeded delays choose the
 * interleaving, and each step begins after the one before it has come to rest.
 *
 * timeline-1 One entry runs at a time. All promises that it settles have completed before the next.
 * timeline-2 Entries run in the order of time, and of creation within one moment.
 * timeline-3 Entries of a dead process do not run; those of a stopped one wait.
 */
import { mayAwaitTurns, restWithTurns } from './event-loop-turns.ts';

/** The process whose memory an entry uses. */
export interface Life {
  readonly name: string;
  alive: boolean;
  /** Stopped (like SIGSTOP) until this time, in virtual milliseconds. */
  stoppedUntilMs: number;
  /** After a failed read, it does not read views until then, in virtual milliseconds. */
  viewsAwayUntilMs?: number;
}

export interface Entry {
  readonly life: Life;
  readonly label: string;
  readonly run: () => void;
  atMs: number;
  order: number;
  cancelled: boolean;
}

/** Observes the world between two entries. It changes nothing, so the order stays the same. */
export interface Onlooker {
  /** When to look next, in virtual milliseconds; all entries up to then have run. */
  readonly dueMs: number;
  look(): Promise<void>;
}

/** The cluster itself, which neither crashes nor stops. */
export const cluster: Life = { name: 'cluster', alive: true, stoppedUntilMs: 0 };

/** Duration of an idle turn of the event loop, in virtual milliseconds. */
const turnMs = 0.5;
/** No code waits for more of them without another event. */
const mostIdleTurns = 3;

export class Timeline {
  /** Virtual milliseconds since the start, with fractions. */
  nowMs = 0;
  /** Number of entries that ran. */
  steps = 0;
  onlooker: Onlooker | undefined;
  readonly #heap: Entry[] = [];
  readonly #usesEventLoop: boolean;
  readonly #rests: (next: () => void) => void;
  #made = 0;
  /** Turns of the event loop since the last entry. */
  #idleTurns = 0;

  /** `usesEventLoop`: the code waits for turns of the event loop (batches of a watch do). */
  constructor({ usesEventLoop }: { readonly usesEventLoop: boolean }) {
    this.#usesEventLoop = usesEventLoop;
    this.#rests = usesEventLoop ? restWithTurns(afterAllPromises) : afterAllPromises;
  }

  after(delayMs: number, life: Life, label: string, run: () => void): Entry {
    return this.at(this.nowMs + Math.max(0, delayMs), life, label, run);
  }

  /** At a virtual time. Entries of the same time run in the order of creation. */
  at(atMs: number, life: Life, label: string, run: () => void): Entry {
    this.#made += 1;
    const entry = { life, label, run, atMs, order: this.#made, cancelled: false };
    this.#push(entry);
    return entry;
  }

  /**
   * Runs entries until `isOver` returns true or nothing is due before `untilMs`. Resolves to whether
   * `isOver` did. If nothing has run since, it is called again only with `goesByTime`.
   */
  run(untilMs: number, isOver: () => boolean, goesByTime = false): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const turn = (): void => {
        try {
          for (;;) {
            if (isOver()) {
              resolve(true);
              return;
            }
            const lookMs = this.onlooker?.dueMs ?? Infinity;
            const limitMs = Math.min(lookMs, untilMs);
            let isIdle = this.#idle(limitMs);
            // Nothing has run since the last promise was settled, so nothing must come to rest.
            if (isIdle && !mayAwaitTurns()) {
              if (goesByTime) continue;
              while (isIdle) isIdle = this.#idle(limitMs);
            }
            if (isIdle || this.#step(limitMs)) {
              this.#rests(turn);
              return;
            }
            this.nowMs = Math.max(this.nowMs, limitMs);
            if (lookMs > untilMs) resolve(false);
            else void this.onlooker?.look().then(turn, reject);
            return;
          }
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      this.#rests(turn);
    });
  }

  /** An idle event loop keeps turning, so waiting for a turn is not waiting for work. */
  #idle(untilMs: number): boolean {
    if (!this.#usesEventLoop || this.#idleTurns === mostIdleTurns) return false;
    const atMs = this.nowMs + turnMs;
    if (atMs >= Math.min(this.#head()?.atMs ?? Infinity, untilMs)) return false;
    this.#idleTurns += 1;
    this.nowMs = atMs;
    return true;
  }

  #step(untilMs: number): boolean {
    for (;;) {
      const entry = this.#head();
      if (entry === undefined || entry.atMs > untilMs) return false;
      this.#pop();
      if (entry.life.stoppedUntilMs > entry.atMs) {
        entry.atMs = entry.life.stoppedUntilMs;
        this.#push(entry);
        continue;
      }
      this.nowMs = entry.atMs;
      this.steps += 1;
      this.#idleTurns = 0;
      entry.run();
      return true;
    }
  }

  /** The next entry that may run. Cancelled or dead ones do not block an idle turn. */
  #head(): Entry | undefined {
    for (;;) {
      const entry = this.#heap[0];
      if (entry === undefined || (!entry.cancelled && entry.life.alive)) return entry;
      this.#pop();
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
 * After all promise callbacks, including nested ones (timeline-1): Node empties that queue before the ticks. A
 * turn of the event loop would work too, at several times the cost.
 */
function afterAllPromises(next: () => void): void {
  // Like queueMicrotask, which takes several times as long.
  void settled.then(() => process.nextTick(next));
}

const settled = Promise.resolve();

function isBefore(left: Entry, right: Entry): boolean {
  return left.atMs < right.atMs || (left.atMs === right.atMs && left.order < right.order);
}
