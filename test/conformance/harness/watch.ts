/** A watch of a script: collects events and returns a few at a time. */
import type { Json } from '#shared/domain/objects.ts';
import type { Step } from './transcript.ts';
import type { Wire } from './wire.ts';

interface WatchEvent {
  readonly type: string;
  readonly object: { readonly metadata?: { readonly annotations?: Record<string, string> } };
}

function endsInitialEvents({ object }: WatchEvent): boolean {
  return object.metadata?.annotations?.['k8s.io/initial-events-end'] === 'true';
}

/** Limit for the wait for an expected event, in milliseconds. */
const dueMs = 15_000;

export class Watch {
  readonly #path: string;
  readonly #record: (step: Step) => void;
  readonly #end = new AbortController();
  #arrived: Json[] = [];
  #ended = false;
  #wake: () => void = () => undefined;

  private constructor(path: string, record: (step: Step) => void) {
    this.#path = path;
    this.#record = record;
  }

  /** An answer that is not a stream of events is recorded as an exchange at once. */
  static async open(
    wire: Wire,
    path: string,
    headers: Readonly<Record<string, string>> | undefined,
    record: (step: Step) => void,
  ): Promise<Watch> {
    const watch = new Watch(path, record);
    const asked = { method: 'GET', path, headers: { accept: 'application/json', ...headers } };
    const stream = await wire.stream(asked, watch.#end.signal);
    const contentType = String(stream.headers['content-type'] ?? '');
    if (stream.code === 200) void watch.#collect(stream.lines);
    else {
      let text = '';
      for await (const line of stream.lines) text += line;
      const body = JSON.parse(text) as Json;
      const seen = { 'content-type': contentType };
      record({ kind: 'exchange', asked: `GET ${path}`, code: stream.code, headers: seen, body });
      watch.#ended = true;
    }
    return watch;
  }

  async #collect(lines: AsyncIterable<string>): Promise<void> {
    try {
      for await (const line of lines) {
        const event = JSON.parse(line) as WatchEvent;
        // Bookmarks come at times that the server chooses.
        if (event.type === 'BOOKMARK' && !endsInitialEvents(event)) continue;
        this.#arrived.push(event as unknown as Json);
        this.#wake();
      }
    } catch {
      // Ended by the script, or closed by the server. The events until then count.
    }
    this.#ended = true;
    this.#wake();
  }

  /**
   * Waits for that many events and records them. There are fewer if the watch ends or 15 s pass.
   */
  async take(count: number): Promise<readonly Json[]> {
    const deadline = performance.now() + dueMs;
    while (this.#arrived.length < count && !this.#ended) {
      const left = deadline - performance.now();
      if (left <= 0) break;
      await this.#next(left);
    }
    return this.#give(this.#arrived.splice(0, count));
  }

  /** Waits until the server ends the watch, and records all remaining events. */
  async rest(): Promise<readonly Json[]> {
    const deadline = performance.now() + dueMs;
    while (!this.#ended && performance.now() < deadline) await this.#next(dueMs);
    const events = this.#arrived.splice(0);
    if (!this.#ended) events.push('the watch did not end');
    return this.#give(events);
  }

  #give(events: readonly Json[]): readonly Json[] {
    const step = { kind: 'events', asked: `WATCH ${this.#path}`, events } as const;
    this.#record(structuredClone(step));
    return events;
  }

  #next(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  end(): void {
    this.#end.abort();
  }
}
