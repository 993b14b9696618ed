/** Answers to equal questions: those under way are shared, and those of a moment ago are given again. */
import type { MonotonicClock } from '#shared/domain/clock.ts';

export interface RecentAnswersOptions<Answer> {
  readonly clock: MonotonicClock;
  /** From the question on, in milliseconds. */
  readonly keepMs: number;
  /** How many are kept: the oldest goes first. */
  readonly most: number;
  /** An answer that is not to be kept is asked for anew by the next one. */
  readonly isKept: (answer: Answer) => boolean;
}

interface Asked<Answer> {
  readonly atMs: number;
  readonly answer: Promise<Answer>;
  readonly stop: AbortController;
  isThere: boolean;
  waiting: number;
}

export class RecentAnswers<Answer> {
  readonly #asked = new Map<string, Asked<Answer>>();
  readonly #options: RecentAnswersOptions<Answer>;

  constructor(options: RecentAnswersOptions<Answer>) {
    this.#options = options;
  }

  /**
   * `ask` goes on for as long as anybody waits for its answer. Rejects with what it rejects with, and with the reason
   * of `signal` when that aborts first.
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
      if (asked.waiting === 0 && !asked.isThere) {
        this.#forget(question, asked);
        asked.stop.abort();
      }
    }
  }

  #known(question: string): Asked<Answer> | undefined {
    const asked = this.#asked.get(question);
    if (asked === undefined) return undefined;
    const { clock, keepMs } = this.#options;
    if (clock.monotonicMs() - asked.atMs < keepMs) return asked;
    this.#asked.delete(question);
    return undefined;
  }

  #begin(question: string, ask: (signal: AbortSignal) => Promise<Answer>): Asked<Answer> {
    const { clock, most, isKept } = this.#options;
    const stop = new AbortController();
    const answer = ask(stop.signal);
    const asked = { atMs: clock.monotonicMs(), answer, stop, isThere: false, waiting: 0 };
    answer.then(
      (found) => {
        asked.isThere = true;
        if (!isKept(found)) this.#forget(question, asked);
      },
      () => this.#forget(question, asked),
    );
    this.#asked.set(question, asked);
    const [oldest] = this.#asked.keys();
    if (this.#asked.size > most && oldest !== undefined) this.#asked.delete(oldest);
    return asked;
  }

  #forget(question: string, asked: Asked<Answer>): void {
    if (this.#asked.get(question) === asked) this.#asked.delete(question);
  }
}
