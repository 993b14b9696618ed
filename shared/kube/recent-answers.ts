/** Shares running answers to equal questions, and reuses recent ones. */
import type { MonotonicClock } from '#shared/domain/clock.ts';
import { Recent } from '#shared/domain/recent.ts';

export interface RecentAnswersOptions<Answer> {
  readonly clock: MonotonicClock;
  /** Most answers kept. The oldest question is dropped first. */
  readonly most: number;
  /** An answer is reused for this time from its question on, in milliseconds. 0: never. */
  readonly keepMs: (answer: Answer) => number;
}

interface Asked<Answer> {
  readonly answer: Promise<Answer>;
  readonly stop: AbortController;
  /** Monotonic milliseconds. Absent: it is still running. */
  countsUntilMs?: number;
  waiting: number;
}

export class RecentAnswers<Answer> {
  readonly #asked: Recent<Asked<Answer>>;
  readonly #options: RecentAnswersOptions<Answer>;

  constructor(options: RecentAnswersOptions<Answer>) {
    this.#options = options;
    this.#asked = new Recent(options.most);
  }

  /**
   * `ask` runs as long as any caller waits for its answer. Rejects with its error, or with the reason of `signal` if
   * that aborts first.
   */
  async to(
    question: string,
    ask: (signal: AbortSignal) => Promise<Answer>,
    signal?: AbortSignal,
  ): Promise<Answer> {
    signal?.throwIfAborted();
    const asked = this.#known(question) ?? this.#begin(question, ask);
    asked.waiting += 1;
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => aborted.reject(signal?.reason as Error);
    signal?.addEventListener('abort', abort);
    try {
      return await Promise.race([asked.answer, aborted.promise]);
    } finally {
      signal?.removeEventListener('abort', abort);
      asked.waiting -= 1;
      if (asked.waiting === 0 && asked.countsUntilMs === undefined) {
        this.#forget(question, asked);
        asked.stop.abort();
      }
    }
  }

  #known(question: string): Asked<Answer> | undefined {
    const asked = this.#asked.get(question);
    const untilMs = asked?.countsUntilMs ?? Infinity;
    return this.#options.clock.monotonicMs() < untilMs ? asked : undefined;
  }

  #begin(question: string, ask: (signal: AbortSignal) => Promise<Answer>): Asked<Answer> {
    const { clock, keepMs } = this.#options;
    const askedAtMs = clock.monotonicMs();
    const stop = new AbortController();
    const asked: Asked<Answer> = { answer: ask(stop.signal), stop, waiting: 0 };
    this.#asked.set(question, asked);
    asked.answer.then(
      (answer) => (asked.countsUntilMs = askedAtMs + keepMs(answer)),
      () => this.#forget(question, asked),
    );
    return asked;
  }

  #forget(question: string, asked: Asked<Answer>): void {
    if (this.#asked.get(question) === asked) this.#asked.delete(question);
  }
}
