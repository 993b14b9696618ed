/**
 * The watchdog of one dispatcher, judged by the queue's answers and the settled items, with time by
 * its own monotonic clock.
 *
 * watchdog-1 It gives up only if every look at the queue in `noProgressMs` was answered with due
 *    work, and nothing was settled. A look without an answer starts the count again, so that no
 *    outage of the store ends a process.
 * watchdog-2 In that case it does give up, at that look.
 * watchdog-3 It looks every `sampleEveryMs`.
 * watchdog-4 Its reported depth is what the store held at the request, with due delayed items as
 *    waiting ones.
 */
import { hasCode } from '#shared/domain/errors.ts';
import type { QueueDepth } from '#shared/queue/work-queue.ts';
import type { Machine } from '../world/machine.ts';
import type { Life, Timeline } from '../world/timeline.ts';

export interface ProgressOptions {
  readonly life: Life;
  readonly machine: Machine;
  readonly timeline: Timeline;
  readonly noProgressMs: number;
  readonly sampleEveryMs: number;
  readonly blame: (fault: string) => void;
}

const roundingMs = 0.01;

export class Progress {
  readonly #options: ProgressOptions;
  #held: QueueDepth | undefined;
  #settled = false;
  /** Since when work was due in every look, by its own clock. */
  #waitingSinceMs: number | undefined;
  /** When it was found stuck, in virtual milliseconds. */
  #stuckAtMs: number | undefined;
  /** Since when no look is running. Undefined while one is. */
  #idleSinceMs: number | undefined;
  #isStopping = false;

  constructor(options: ProgressOptions) {
    this.#options = options;
  }

  begins(stopping: AbortSignal): void {
    this.#idleSinceMs = this.#nowMs;
    stopping.addEventListener('abort', () => (this.#isStopping = true), { once: true });
  }

  settles(): void {
    this.#settled = true;
  }

  asks(): void {
    this.#look();
    this.#idleSinceMs = undefined;
  }

  /** `held`: the store's content at the request. Undefined: there is no answer. */
  hears(held: QueueDepth | undefined): void {
    this.#held = held;
    this.#idleSinceMs = this.#nowMs;
    if (held === undefined || held.waiting === 0) this.#waitingSinceMs = undefined;
    else if (this.#settled) this.#waitingSinceMs = this.#nowMs;
    else this.#waitingSinceMs ??= this.#nowMs;
    if (held !== undefined) this.#settled = false;
    if (this.#forMs >= this.#options.noProgressMs) {
      this.#stuckAtMs = this.#options.timeline.nowMs;
    }
  }

  /** The reported depth. */
  reports(reported: QueueDepth): void {
    const held = this.#held;
    if (held === undefined) return;
    const kinds = ['waiting', 'running', 'delayed', 'parked'] as const;
    if (kinds.every((kind) => held[kind] === reported[kind])) return;
    this.#blame(
      'watchdog-4',
      `reports ${JSON.stringify(reported)}, the store held ${JSON.stringify(held)}`,
    );
  }

  /** Whether it may end with this error. */
  owesEnd(error: unknown): boolean {
    const isOwed = this.#stuckAtMs === this.#options.timeline.nowMs;
    if (isOwed) this.#stuckAtMs = undefined;
    return isOwed && hasCode(error, 'MR_NO_PROGRESS');
  }

  lastLook(): void {
    this.#look();
  }

  get #nowMs(): number {
    return this.#options.machine.monotonicMs;
  }

  get #forMs(): number {
    return this.#waitingSinceMs === undefined ? -1 : this.#nowMs - this.#waitingSinceMs;
  }

  #look(): void {
    const { life, timeline, sampleEveryMs } = this.#options;
    if (this.#isStopping || timeline.nowMs <= life.stoppedUntilMs) return;
    if (this.#stuckAtMs !== undefined) this.#blame('watchdog-2', 'goes on although it is stuck');
    this.#stuckAtMs = undefined;
    if (this.#idleSinceMs === undefined) return;
    const wokeMs = life.stoppedUntilMs * this.#options.machine.rate;
    const idleMs = this.#nowMs - Math.max(this.#idleSinceMs, wokeMs);
    if (idleMs > sampleEveryMs + roundingMs) {
      this.#blame('watchdog-3', `did not look at the queue for ${idleMs.toFixed(0)} ms`);
    }
  }

  #blame(rule: string, what: string): void {
    this.#options.blame(`${rule}: ${this.#options.life.name} ${what}`);
  }
}
