/**
 * One request whose whole body is wanted. undici's stream for each answer would outlive collections of the young
 * generation, with everything that it holds.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

export interface AnswerHead {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
}

export interface WholeAnswer extends AnswerHead {
  readonly text: string;
}

export interface WholeAnswerOptions {
  readonly dispatcher: Dispatcher;
  readonly request: Dispatcher.DispatchOptions;
  /** From now to the last byte, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** The rest of a longer body is not awaited or returned. Absent: all of it is. */
  readonly enoughBytes?: number;
  /** Called before the body has arrived. */
  readonly onHead?: (head: AnswerHead) => void;
}

/** The answer did not arrive in time. */
export class AnswerTimeout extends Error {
  override readonly name = 'AnswerTimeout';
}

/** Throws {@link AnswerTimeout}, the signal's reason on abort, and undici's connection errors. */
export function wholeAnswer(options: WholeAnswerOptions): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => {
    const { dispatcher, request } = options;
    dispatcher.dispatch(request, new Exchange(options, resolve, reject));
  });
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: WholeAnswerOptions;
  readonly #resolve: (answer: WholeAnswer) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #head: AnswerHead | undefined;
  /** Before it is sent it cannot be broken off, but sending can be prevented. */
  #brokenOff: Error | undefined;

  constructor(
    options: WholeAnswerOptions,
    resolve: (answer: WholeAnswer) => void,
    reject: (reason: unknown) => void,
  ) {
    this.#options = options;
    this.#resolve = resolve;
    this.#reject = reject;
    const { timeoutMs, signal } = options;
    this.#timer = setTimeout(() => this.#breakOff(new AnswerTimeout()), timeoutMs);
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (signal?.aborted === true) this.#onAbort();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#brokenOff !== undefined) controller.abort(this.#brokenOff);
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    statusCode: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (statusCode < 200) return; // informational: the answer is still to come
    this.#head = { statusCode, headers };
    this.#options.onHead?.(this.#head);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < (this.#options.enoughBytes ?? Infinity)) return;
    this.#finish();
    controller.abort(new Error('enough of the answer has come'));
  }

  onResponseEnd(): void {
    this.#finish();
  }

  #finish(): void {
    const [first = Buffer.alloc(0), ...others] = this.#chunks;
    const whole = others.length === 0 ? first : Buffer.concat(this.#chunks);
    const { statusCode = 0, headers = {} } = this.#head ?? {};
    this.#settle();
    this.#resolve({ statusCode, headers, text: whole.toString('utf8') });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#settle();
    this.#reject(error);
  }

  readonly #onAbort = (): void => {
    const reason: unknown = this.#options.signal?.reason;
    this.#breakOff(reason instanceof Error ? reason : new Error(String(reason)));
  };

  #breakOff(reason: Error): void {
    this.#settle();
    this.#brokenOff = reason;
    this.#reject(reason);
    this.#controller?.abort(reason);
  }

  #settle(): void {
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
  }
}
