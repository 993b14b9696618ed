import type { WaitingClock } from '#shared/domain/clock.ts';
import type { Machine } from './machine.ts';
import type { Life, Timeline } from './timeline.ts';

/**
 * The clock of a process. Setting it changes only its time and no sleep: timers use their machine's
 * monotonic clock, as Node's do.
 */
export class VirtualClock implements WaitingClock {
  readonly #timeline: Timeline;
  readonly #life: Life;
  readonly #machine: Machine;

  constructor(timeline: Timeline, life: Life, machine: Machine) {
    this.#timeline = timeline;
    this.#life = life;
    this.#machine = machine;
  }

  now(): number {
    return this.#machine.wallMs;
  }

  monotonicMs(): number {
    return this.#machine.monotonicMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = (): void => {
        signal?.removeEventListener('abort', cancel);
        resolve();
      };
      const trueMs = ms / this.#machine.rate;
      const entry = this.#timeline.after(trueMs, this.#life, 'timer', finish);
      const cancel = (): void => {
        entry.cancelled = true;
        resolve();
      };
      signal?.addEventListener('abort', cancel, { once: true });
    });
  }
}
