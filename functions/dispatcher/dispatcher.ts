/** Workers for each function, the sampling of the queue's depth, and the watchdog over both. */
import type { Random, WaitingClock } from '#shared/domain/clock.ts';
import { MillraceError } from '#shared/domain/errors.ts';
import { underEither } from '#shared/domain/under-either.ts';
import { untilAborted } from '#shared/domain/until-aborted.ts';
import { freshWatchdog, watchProgress } from '#shared/queue/watchdog.ts';
import type { WorkQueue } from '#shared/queue/work-queue.ts';
import type { Logger } from '#shared/runtime/process/telemetry.ts';
import type { Deliver } from './deliver.ts';
import type { DispatcherMetrics } from './dispatcher-metrics.ts';
import { workUntilStopped, type WorkerOptions, type WorkerSignals } from './worker-loop.ts';

export interface DispatcherOptions {
  readonly queue: WorkQueue;
  readonly deliver: Deliver;
  /** Functions served, each by this many workers. */
  readonly concurrency: Readonly<Record<string, number>>;
  readonly clock: WaitingClock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: DispatcherMetrics;
  /** How long deliveries under way may take after the stop, in milliseconds. Default 25 s. */
  readonly drainMs?: number;
  /**
   * Due work and nothing settled for this long is a stuck process, in milliseconds. Has to exceed the
   * longest delivery. Default 45 s: the 30 s of a delivery and the 15 s of watchdog.ts.
   */
  readonly noProgressMs?: number;
  /** Between two looks at the queue's depth, in milliseconds. Default 2 s. */
  readonly sampleEveryMs?: number;
}

export interface Dispatcher {
  /**
   * Works until `signal` aborts, then until what is under way is settled or the bound has passed.
   * Rejects with MR_NO_PROGRESS when work is due and none gets done: the process is to end.
   */
  run(signal: AbortSignal): Promise<void>;
}

const defaultSampleEveryMs = 2_000;
const defaultDrainMs = 25_000;
const defaultNoProgressMs = 45_000;

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  return { run: (signal) => run(options, signal) };
}

async function run(options: DispatcherOptions, stop: AbortSignal): Promise<void> {
  const kill = new AbortController();
  const watchdogs = new AbortController();
  const functions = Object.entries(options.concurrency);
  const stuck: Promise<never>[] = [];
  const workers: Promise<void>[] = [];
  for (const [name, count] of functions) {
    const progress = { settled: 0 };
    const worker: WorkerOptions = {
      ...options,
      onSettled: () => (progress.settled += 1),
      reach: { misses: 0 },
    };
    const signals: WorkerSignals = { stop, kill: kill.signal };
    for (let index = 0; index < count; index += 1) {
      workers.push(workUntilStopped(name, worker, signals));
    }
    stuck.push(
      underEither([stop, watchdogs.signal], (over) =>
        watchForProgress(name, options, progress, over),
      ),
    );
  }
  try {
    await Promise.race([...stuck, finished(workers, options, stop, kill.signal)]);
  } finally {
    watchdogs.abort();
    kill.abort();
  }
}

/** All workers ended, as they do at once without work, or the bound after the stop has passed. */
async function finished(
  workers: readonly Promise<void>[],
  { clock, drainMs = defaultDrainMs, logger }: DispatcherOptions,
  stop: AbortSignal,
  kill: AbortSignal,
): Promise<void> {
  const all = Promise.all(workers);
  const bound = untilAborted(stop).then(() => clock.sleep(drainMs, kill));
  const inTime = await Promise.race([all.then(() => true), bound.then(() => false)]);
  if (inTime) return;
  logger.warn({ drainMs }, 'deliveries were still under way at the end');
}

/** Never resolves; rejects when the function's queue is stuck. */
async function watchForProgress(
  name: string,
  options: DispatcherOptions,
  progress: { readonly settled: number },
  stop: AbortSignal,
): Promise<never> {
  const { queue, clock, logger, metrics } = options;
  const { noProgressMs = defaultNoProgressMs, sampleEveryMs = defaultSampleEveryMs } = options;
  let state = freshWatchdog;
  while (!stop.aborted) {
    await clock.sleep(Math.min(sampleEveryMs, noProgressMs / 4), stop);
    try {
      const depth = await queue.depth(name);
      metrics.depth(name, depth);
      const monotonicMs = clock.monotonicMs();
      const sample = { monotonicMs, due: depth.waiting, settled: progress.settled };
      const watched = watchProgress(state, sample, noProgressMs);
      state = watched.state;
      if (watched.progress.kind === 'stuck') {
        const seconds = Math.round(watched.progress.forMs / 1000);
        throw new MillraceError('MR_NO_PROGRESS', { queue: name, seconds });
      }
    } catch (error) {
      if (error instanceof MillraceError && error.code === 'MR_NO_PROGRESS') throw error;
      // Without an answer there is no sample: an outage of Redis is not the workers' fault.
      logger.debug({ err: error, function: name }, 'queue depth is unknown');
      state = freshWatchdog;
    }
  }
  return new Promise(() => undefined);
}
