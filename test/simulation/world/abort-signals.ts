/**
 * AbortController and AbortSignal as the DOM standard has them, as far as our code uses them. Those of
 * Node are event targets with weak references and a stack for each abort; a run makes hundreds, which
 * took a fifth of its time. A trace does not tell which ones were used.
 *
 * A1 Listeners are called once, at once, in the order in which they were added.
 * A2 The first reason stays.
 * A3 There is no `any`: those of Node lose what they follow (shared/domain/under-either.ts).
 */
type Listener = (event: unknown) => void;

/** One for all: each would record a stack that nobody reads. */
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
    this.#tell();
  }

  #tell(): void {
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

/** For everything in this process that asks for one from now on. Returns how to undo it. */
export function usePlainAbortSignals(): () => void {
  const { AbortController, AbortSignal } = globalThis;
  Object.assign(globalThis, { AbortController: PlainController, AbortSignal: PlainSignal });
  return () => void Object.assign(globalThis, { AbortController, AbortSignal });
}
