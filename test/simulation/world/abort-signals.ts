/**
 * AbortController and AbortSignal by the DOM standard, as far as Millrace uses them. Node's are event
 * targets with weak references and a stack for each abort. A run makes hundreds, which took a fifth of
 * its time. A trace is the same with both.
 *
 * abort-1 Listeners are called once, at once, in the order of their addition.
 * abort-2 The first reason stays.
 * abort-3 There is no `any`: Node's loses its sources (shared/domain/under-either.ts).
 */
type Listener = (event: unknown) => void;

/** Shared, because each would record an unused stack. */
const withoutReason = new DOMException('This operation was aborted', 'AbortError');

class PlainSignal {
  aborted = false;
  #reason: unknown;
  #listeners: Listener[] = [];

  get reason(): unknown {
    return this.aborted ? (this.#reason ?? withoutReason) : undefined;
  }

  addEventListener(_: 'abort', listener: Listener): void {
    if (!this.aborted) this.#listeners.push(listener);
  }

  removeEventListener(_: 'abort', listener: Listener): void {
    const at = this.#listeners.indexOf(listener);
    if (at !== -1) this.#listeners.splice(at, 1);
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.#reason = reason;
    this.#notify();
  }

  #notify(): void {
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener({ type: 'abort', target: this });
  }
}

class PlainController {
  readonly signal = new PlainSignal();

  abort(reason?: unknown): void {
    this.signal.abort(reason);
  }
}

/** Applies to all new ones in this process. Returns a function that reverts it. */
export function usePlainAbortSignals(): () => void {
  const { AbortController, AbortSignal } = globalThis;
  Object.assign(globalThis, { AbortController: PlainController, AbortSignal: PlainSignal });
  return () => void Object.assign(globalThis, { AbortController, AbortSignal });
}
