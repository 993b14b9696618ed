import type { WaitingClock } from '#shared/domain/clock.ts';
import { underEither } from '#shared/domain/under-either.ts';
import type { WatchEvent } from './client.ts';
import { readyBatches } from './ready-batches.ts';

/** A relist that becomes due during a delivery waits for it, in milliseconds. */
const retryRelistMs = 1_000;

export type WatchEnd =
  | { readonly kind: 'stopped' }
  /** The server closed it properly. */
  | { readonly kind: 'closed'; readonly livedMs: number }
  /** No data arrived for the silence limit. */
  | { readonly kind: 'silent' }
  /** A new list is due. */
  | { readonly kind: 'relist' }
  | { readonly kind: 'failed'; readonly error: unknown };

export interface WatchRun {
  readonly open: (signal: AbortSignal) => AsyncIterable<WatchEvent>;
  /** Nothing is read while it runs, and that time does not count as silence. */
  readonly take: (events: readonly WatchEvent[]) => Promise<void>;
  readonly clock: WaitingClock;
  readonly silenceMs: number;
  /** Counts down over several watches. */
  readonly untilRelist: { remainingMs: number };
  readonly batchLimit: number;
  readonly signal: AbortSignal;
}

/** Reads one watch to its end. Never rejects. */
export async function watchOnce(run: WatchRun): Promise<WatchEnd> {
  const { clock, signal } = run;
  const cut = new AbortController();
  const pulse: Pulse = { heard: false, taking: false };
  const openedAtMs = clock.monotonicMs();
  let verdict: 'silent' | 'relist' | undefined;
  const supervision = underEither([signal, cut.signal], (over) => supervise(run, pulse, over)).then(
    (reason) => {
      verdict = reason;
      cut.abort();
    },
  );
  const end = await underEither([signal, cut.signal], (over) => readAll(run, pulse, over)).then(
    (): WatchEnd => ({ kind: 'closed', livedMs: clock.monotonicMs() - openedAtMs }),
    (error: unknown): WatchEnd => ({ kind: 'failed', error }),
  );
  cut.abort();
  await supervision;
  if (signal.aborted) return { kind: 'stopped' };
  return verdict === undefined ? end : { kind: verdict };
}

interface Pulse {
  heard: boolean;
  taking: boolean;
}

async function readAll(run: WatchRun, pulse: Pulse, signal: AbortSignal): Promise<void> {
  for await (const events of readyBatches(run.open(signal), run.batchLimit)) {
    pulse.taking = true;
    await run.take(events);
    pulse.taking = false;
    pulse.heard = true;
    if (signal.aborted) return;
  }
}

/**
 * Waits until the watch has been silent for too long or a relist is due. It sums up its sleeps
 * instead of comparing times. So a jump of the clock neither cuts a watch nor keeps a dead one.
 */
async function supervise(
  { clock, silenceMs, untilRelist }: WatchRun,
  pulse: Pulse,
  over: AbortSignal,
): Promise<'silent' | 'relist' | undefined> {
  let silentForMs = 0;
  for (;;) {
    const stepMs = Math.min(silenceMs / 3, untilRelist.remainingMs);
    pulse.heard = false;
    await clock.sleep(stepMs, over);
    if (over.aborted) return undefined;
    untilRelist.remainingMs -= stepMs;
    silentForMs = wasAlive(pulse) ? 0 : silentForMs + stepMs;
    // A third is not exact in binary.
    if (Math.round(silentForMs) >= silenceMs) return 'silent';
    if (untilRelist.remainingMs > 0) continue;
    if (!pulse.taking) return 'relist';
    untilRelist.remainingMs = retryRelistMs;
  }
}

/** A function, because the other side changes the pulse while this one sleeps. */
function wasAlive(pulse: Pulse): boolean {
  return pulse.heard || pulse.taking;
}
