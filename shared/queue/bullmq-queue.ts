/**
 * The work queue on BullMQ: one BullMQ queue per function. Only the files bullmq-*.ts import it.
 *
 * B1 Deduplication by identity with keepLastIfActive gives one running and one waiting item, and
 *    keeps a wake-up that arrives meanwhile (Q1, Q2, Q3); `reschedule` makes a postponed item due
 *    when a fresh event arrives (Q4, Q6), by the clock of nobody (Q8).
 * B2 Failures are BullMQ's count of attempts made, which survives everything but finishing.
 * B3 Jobs are fetched one by one and their locks are ours to prolong; BullMQ's worker loop, which
 *    would fetch ahead of demand, is never started.
 * B4 Redis reckons when a job is due, for every process that puts off or fetches (Q8).
 * B5 What others write to single keys may cost a wake-up, never those that come after it: a job that
 *    is stored and in no line goes back to the line when its item is asked for (Q7).
 */
import { randomUUID } from 'node:crypto';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { type WorkItem, workItemIdentity } from '#shared/domain/work-item.ts';
import { closeRedis, connectRedis, type RedisAddress } from '#shared/redis/connection.ts';
import { defaultTimeoutMs } from '#shared/redis/deadline.ts';
import { rateLimitedWarnings, type RedisLog } from '#shared/redis/log.ts';
import { defineScript, type RunScript } from '#shared/redis/script.ts';
import { checkServer } from '#shared/redis/server-check.ts';
import { BullmqJobStore } from './bullmq-job-store.ts';
import { wakeJobs } from './bullmq-scripts.ts';
import type { KeyOf } from './parked-jobs.ts';
import { type JobProducer, RedisQueue } from './redis-queue.ts';
import type { WorkQueue } from './work-queue.ts';

export interface BullmqQueueOptions extends RedisAddress {
  readonly log: RedisLog;
  /** Of all keys, as `redisPrefix` builds it: in braces, and of one cluster only. */
  readonly prefix: string;
  /** Bound of `add`, `depth` and `parked`, in milliseconds. */
  readonly timeoutMs?: number;
  /** A worker that is silent this long loses its items, in milliseconds. */
  readonly lockMs?: number;
  /** How often lost items are looked for, in milliseconds; the second look after a loss finds it. */
  readonly stalledCheckMs?: number;
  /** How long a fetch blocks at most, in milliseconds; half of it when nothing is postponed. */
  readonly longestBlockMs?: number;
  /** How long `close` waits for fetches, holders and settlements, in milliseconds. */
  readonly closeGraceMs?: number;
  /** Parked items kept per function; the oldest give way. */
  readonly maxParked?: number;
}

type Settings = Required<Omit<BullmqQueueOptions, keyof RedisAddress>>;

/**
 * An item of a killed worker is taken again after `lockMs` and one or two stalled checks at most; a
 * worker may be blocked for three quarters of `lockMs` before it loses what it holds.
 */
const defaults = {
  timeoutMs: defaultTimeoutMs,
  lockMs: 3_000,
  stalledCheckMs: 1_000,
  longestBlockMs: 10_000,
  closeGraceMs: 1_000,
  maxParked: 10_000,
};

/** When an item of a killed worker is taken again at the latest, after its death. */
export const takenAgainWithinMs = defaults.lockMs + 2 * defaults.stalledCheckMs;

/** BullMQ keeps a stream of what happens to jobs, which nobody reads. */
const eventsKept = 100;
const itemsPerBatch = 500;
/** Redis searches a line of this length in some ten microseconds. */
const longestSearched = 1_000;
const warningIntervalMs = 10_000;
/**
 * When a job was made, for BullMQ, which makes a postponed one due at that time when it is asked
 * for again: long ago by every clock. Not 0, which it takes for absent.
 */
const longAgoMs = 1;

/** Connects in the background; `add` works as soon as Redis answers. Throws MR_REDIS_INSECURE. */
export function createBullmqQueue(options: BullmqQueueOptions): WorkQueue {
  const { url, insecure = false, caFile, ...given } = options;
  const settings: Settings = { ...defaults, ...given };
  const { log, prefix, timeoutMs, lockMs, closeGraceMs } = settings;
  const address = { log, insecure, ...(caFile === undefined ? {} : { caFile }) };
  const redis = connectRedis(url, { role: 'producer', ...address });
  redis.once('ready', () => void checkServer(redis, log));
  const keysOf = (functionName: string) => (type: string) => `${prefix}:${functionName}:${type}`;
  const wake = defineScript(redis, wakeJobs);
  const warn = rateLimitedWarnings(log, warningIntervalMs);
  // Only a process that takes needs it.
  let workerRedis: Redis | undefined;
  return new RedisQueue({
    log,
    timeoutMs,
    lockMs,
    closeGraceMs,
    redis,
    keysOf,
    openProducer: async (functionName) => {
      const jobs = await openQueue(functionName, redis, prefix);
      return producerOf({ functionName, jobs, wake, warn, keyOf: keysOf(functionName) });
    },
    openStore: (functionName) => {
      workerRedis ??= connectRedis(url, { role: 'worker', ...address });
      const keyOf = keysOf(functionName);
      return new BullmqJobStore({ functionName, settings, redis: workerRedis, keyOf });
    },
    close: async () => {
      if (workerRedis !== undefined) await closeRedis(workerRedis);
    },
  });
}

async function openQueue(name: string, redis: Redis, prefix: string): Promise<Queue<WorkItem>> {
  const queue = new Queue<WorkItem>(name, {
    connection: redis,
    prefix,
    streams: { events: { maxLen: eventsKept } },
  });
  // The connection reports its own errors.
  queue.on('error', () => undefined);
  await queue.waitUntilReady().catch(async (error: unknown) => {
    // It listens to the shared connection until it is closed.
    await queue.close();
    throw error;
  });
  return queue;
}

interface ProducerParts {
  readonly functionName: string;
  readonly jobs: Queue<WorkItem>;
  /** {@link wakeJobs}. */
  readonly wake: RunScript;
  readonly warn: ReturnType<typeof rateLimitedWarnings>;
  readonly keyOf: KeyOf;
}

function producerOf(parts: ProducerParts): JobProducer {
  return {
    add: async (items) => {
      for (let from = 0; from < items.length; from += itemsPerBatch) {
        await addBatch(items.slice(from, from + itemsPerBatch), parts);
      }
    },
  };
}

async function addBatch(items: readonly WorkItem[], parts: ProducerParts): Promise<void> {
  // Ids of our own tell a new job from one that was there already.
  const jobs = items.map((item) => ({
    name: 'item',
    data: item,
    opts: {
      jobId: randomUUID(),
      timestamp: longAgoMs,
      deduplication: { id: workItemIdentity(item), keepLastIfActive: true, reschedule: true },
      removeOnComplete: true,
      removeOnFail: true,
    },
  }));
  const stored = await parts.jobs.addBulk(jobs);
  const known = stored.filter(({ id }, index) => id !== jobs[index]?.opts.jobId);
  // The last one of a batch speaks for those before it.
  await wakeKnown(new Map(known.map(({ id, data }) => [id ?? '', data])), parts);
}

/** Jobs that were there already, by their ids, and the items for which they are asked for. */
async function wakeKnown(
  known: ReadonlyMap<string, WorkItem>,
  { functionName, wake, warn, keyOf }: ProducerParts,
): Promise<void> {
  if (known.size === 0) return;
  const asked = [...known].flatMap(([id, item]) => [id, JSON.stringify(item)]);
  const keys = ['wait', 'active', 'delayed', 'marker'].map(keyOf);
  const lost = await wake(...keys, keyOf(''), longestSearched, ...asked);
  if (lost === 0) return;
  warn({ function: functionName, items: lost }, 'items that were in no line are queued again');
}
