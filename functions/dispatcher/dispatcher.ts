/** Runs the workers of each function, samples the depth of the queue, and watches for progress. */
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
  /** The number of workers for each served function. */
  readonly concurrency: Readonly<Record<string, number>>;
  readonly clock: WaitingClock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: DispatcherMetrics;
  /** Time for running deliveries to end after the stop, milliseconds. Default 25 s. */
  readonly drainMs?: number;
  /**
   * With due work, the process counts as stuck after this time without a settled item, milliseconds. Has
   * to exceed the longest delivery. Default 45 s: 30 s of a delivery and 15 s of watchdog.ts.
   */
  readonly noProgressMs?: number;
  /** Interval between two samples of the queue's depth, milliseconds. Default 2 s. */
  readonly sampleEveryMs?: number;
}

export interface Dispatcher {
  /**
   * Works until `signal` aborts, then until running deliveries are settled or `drainMs` has passed.
   * Rejects with MR_NO_PROGRESS if work is due and none is settled: the process has to exit.
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

/** Resolves when all workers have ended, or when `drainMs` after the stop has passed. */
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

/** Never resolves. Rejects when the function's queue is stuck. */
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
      // Without an answer there is no sample: the workers do not cause an outage of Redis.
      logger.debug({ err: error, function: name }, 'queue depth is unknown');
      state = freshWatchdog;
    }
  }
  return new Promise(() => undefined);
}
