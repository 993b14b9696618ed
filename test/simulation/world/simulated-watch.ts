/** One watch on its way to a process: lines come in order, late, or never. */
import { MillraceError } from '#shared/domain/errors.ts';
import type { Resource } from '#shared/domain/objects.ts';
import type { WatchEvent, WatchOptions } from '#shared/kube/client.ts';
import type { SimulationContext } from './simulation-context.ts';
import { cluster, type Entry, type Life } from './timeline.ts';

/** A watch's needs from its client. */
export interface SimulatedWatchOptions {
  readonly context: SimulationContext;
  readonly life: Life;
  readonly openWatch: OpenWatch;
}

/** Opens a watch at the sandbox. Throws MR_API_GONE. Returns a function that ends it. */
export type OpenWatch = (
  resource: Resource,
  options: Pick<WatchOptions, 'namespace' | 'labelSelector' | 'resourceVersion'>,
  onEvent: (event: WatchEvent) => void,
) => () => void;

type Ready =
  | { readonly kind: 'event'; readonly event: WatchEvent }
  | { readonly kind: 'end' }
  | { readonly kind: 'error'; readonly error: Error };

export function simulatedWatch(
  options: SimulatedWatchOptions,
  resource: Resource,
  watchOptions: WatchOptions,
): AsyncIterable<WatchEvent> {
  return {
    [Symbol.asyncIterator]: () => new SimulatedWatch(options, resource, watchOptions),
  };
}

class SimulatedWatch implements AsyncIterator<WatchEvent> {
  readonly #options: SimulatedWatchOptions;
  readonly #resource: Resource;
  readonly #watchOptions: WatchOptions;
  readonly #ready: Ready[] = [];
  #waiting: (() => void) | undefined;
  #close: (() => void) | undefined;
  #timeout: Entry | undefined;
  #lastArrivalMs = 0;
  #frozen = false;
  #opened = false;
  #over = false;

  constructor(options: SimulatedWatchOptions, resource: Resource, watchOptions: WatchOptions) {
    this.#options = options;
    this.#resource = resource;
    this.#watchOptions = watchOptions;
    const { signal } = watchOptions;
    const end = (): void => {
      this.#stop();
      this.#offer({ kind: 'end' });
    };
    if (signal.aborted) this.#over = true;
    else signal.addEventListener('abort', end, { once: true });
  }

  async next(): Promise<IteratorResult<WatchEvent, undefined>> {
    if (!this.#opened) this.#open();
    for (;;) {
      const first = this.#ready.shift();
      if (first?.kind === 'event') return { done: false, value: first.event };
      if (first?.kind === 'error') {
        this.#stop();
        throw first.error;
      }
      if (first?.kind === 'end' || this.#over) {
        this.#stop();
        return { done: true, value: undefined };
      }
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
  }

  async return(): Promise<IteratorResult<WatchEvent, undefined>> {
    this.#stop();
    return { done: true, value: undefined };
  }

  #open(): void {
    this.#opened = true;
    const { context, life, openWatch } = this.#options;
    const { timeline, faults, latency } = context;
    const { timeoutSeconds } = this.#watchOptions;
    timeline.after(latency(), cluster, `watch ${this.#resource.plural}`, () => {
      if (this.#over || !life.alive) return;
      if (faults.strikes('watchRefused')) {
        this.#arrive({ kind: 'error', error: this.#error('MR_API_RETRYABLE', 503) });
        return;
      }
      try {
        this.#close = openWatch(this.#resource, this.#watchOptions, (event) => this.#sent(event));
      } catch (error) {
        this.#arrive({ kind: 'error', error: error as Error });
        return;
      }
      this.#timeout = timeline.after(timeoutSeconds * 1_000, cluster, 'watch timeout', () => {
        this.#stop();
        this.#arrive({ kind: 'end' });
      });
    });
  }

  /** The server has sent a line, which may or may not reach the process. */
  #sent(event: WatchEvent): void {
    const { context, life } = this.#options;
    if (!life.alive) {
      this.#stop();
      return;
    }
    const { faults, random } = context;
    this.#frozen ||= faults.strikes('watchFrozen');
    if (this.#frozen) return;
    if (faults.strikes('watchDelayed')) {
      // A late line may become even later: lines of one connection never overtake each other.
      const lateMs = context.timeline.nowMs + random.between(500, 12_000);
      this.#lastArrivalMs = Math.max(this.#lastArrivalMs, lateMs);
    }
    if (faults.strikes('watchBroken')) {
      this.#end({ kind: 'error', error: this.#error('MR_API_UNREACHABLE', 0) });
    } else if (faults.strikes('watchExpired')) {
      this.#end({ kind: 'error', error: this.#error('MR_API_GONE', 410) });
    } else {
      this.#arrive({ kind: 'event', event });
      if (faults.strikes('watchClosed')) this.#end({ kind: 'end' });
    }
  }

  #end(ready: Ready): void {
    this.#close?.();
    this.#close = undefined;
    this.#arrive(ready);
  }

  #arrive(ready: Ready): void {
    const { context, life } = this.#options;
    const { timeline, latency } = context;
    const atMs = Math.max(this.#lastArrivalMs, timeline.nowMs + latency());
    this.#lastArrivalMs = atMs;
    // Not as a wait: adding the wait to the current time gives rounding errors, which would change
    // the order.
    timeline.at(atMs, life, 'watch line', () => {
      context.trace(life, () => `watch ${this.#resource.plural}: ${wordsOf(ready)}`);
      this.#offer(ready);
    });
  }

  #offer(ready: Ready): void {
    this.#ready.push(ready);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.();
  }

  #stop(): void {
    this.#over = true;
    if (this.#timeout !== undefined) this.#timeout.cancelled = true;
    this.#close?.();
    this.#close = undefined;
  }

  #error(code: 'MR_API_RETRYABLE' | 'MR_API_UNREACHABLE' | 'MR_API_GONE', status: number) {
    const path = this.#resource.plural;
    const fields = { verb: 'watch', path, status, reason: 'Injected', detail: 'injected' };
    return new MillraceError(code, fields);
  }
}

function wordsOf(ready: Ready): string {
  if (ready.kind !== 'event') return ready.kind === 'end' ? 'closed' : ready.error.message;
  const { event } = ready;
  if (event.type === 'BOOKMARK') return `BOOKMARK ${event.resourceVersion}`;
  const { name, resourceVersion } = event.object.metadata;
  return `${event.type} ${name} ${resourceVersion}`;
}
