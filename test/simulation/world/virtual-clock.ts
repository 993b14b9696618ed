import type { WaitingClock } from '#shared/domain/clock.ts';
import type { Life, Timeline } from './timeline.ts';

/** When virtual time begins, in milliseconds since the epoch. */
export const beginningMs = Date.parse('2026-03-02T08:00:00Z');

/**
 * The clock of one machine. A jump changes what it shows and no sleep: timers of a process go by the
 * monotonic clock, as Node's do.
 */
export class VirtualClock implements WaitingClock {
  readonly #timeline: Timeline;
  readonly #life: Life;
  readonly #offsetMs: () => number;

  /** `offsetMs`: how far it is off, in milliseconds. */
  constructor(timeline: Timeline, life: Life, offsetMs: () => number = () => 0) {
    this.#timeline = timeline;
    this.#life = life;
    this.#offsetMs = offsetMs;
  }

  now(): number {
    return beginningMs + Math.floor(this.#timeline.nowMs) + this.#offsetMs();
  }

  monotonicMs(): number {
    return this.#timeline.nowMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = (): void => {
        signal?.removeEventListener('abort', cancel);
        resolve();
      };
      const entry = this.#timeline.after(ms, this.#life, 'timer', finish);
      const cancel = (): void => {
        entry.cancelled = true;
        resolve();
      };
      signal?.addEventListener('abort', cancel, { once: true });
    });
  }
}
