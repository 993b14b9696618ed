/**
 * The work queue on BullMQ: one BullMQ queue per function. Only the files bullmq-*.ts import BullMQ.
 *
 * bullmq-1 Deduplication by identity with keepLastIfActive gives one running and one waiting item,
 *    and keeps a wake-up that arrives meanwhile (queue-1, queue-2, queue-3). `reschedule` makes a
 *    postponed item due when a fresh event arrives (queue-4, queue-6), independent of every
 *    process's clock (queue-8).
 * bullmq-2 Failures are BullMQ's count of attempts made. It is reset only by finishing.
 * bullmq-3 Jobs are fetched one by one, and this code prolongs their locks. BullMQ's worker loop
 *    would fetch ahead of demand and is never started.
 * bullmq-4 Redis computes when a job is due, for every process that postpones or fetches (queue-8).
 * bullmq-5 A foreign write to single keys may cost a wake-up, but never later ones. A stored job
 *    that is in no line returns to the line when its item is added again (queue-7).
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
  /** Prefix of all keys, as `redisPrefix` builds it: in braces, for one cluster. */
  readonly prefix: string;
  /** Time limit of `add`, `depth` and `parked`, in milliseconds. */
  readonly timeoutMs?: number;
  /** A worker that is silent for this long loses its items, in milliseconds. */
  readonly lockMs?: number;
  /**
   * Interval of the search for lost items, in milliseconds. The second search after a loss finds it.
   */
  readonly stalledCheckMs?: number;
  /** Longest blocking fetch, in milliseconds; half of it if nothing is postponed. */
  readonly longestBlockMs?: number;
  /** Maximum wait of `close` for fetches, holders and settlements, in milliseconds. */
  readonly closeGraceMs?: number;
  /** Parked items kept per function; the oldest are dropped. */
  readonly maxParked?: number;
}

type Settings = Required<Omit<BullmqQueueOptions, keyof RedisAddress>>;

/**
 * An item of a killed worker is taken again after `lockMs` and at most two stalled checks. A worker
 * may be blocked for three quarters of `lockMs` before it loses its items.
 */
const defaults = {
  timeoutMs: defaultTimeoutMs,
  lockMs: 3_000,
  stalledCheckMs: 1_000,
  longestBlockMs: 10_000,
  closeGraceMs: 1_000,
  maxParked: 10_000,
};

/** Latest time from a worker's death until its item is taken again, in milliseconds. */
export const takenAgainWithinMs = defaults.lockMs + 2 * defaults.stalledCheckMs;

/** BullMQ keeps a stream of job events that is never read. */
const eventsKept = 100;
const itemsPerBatch = 500;
/** Redis searches a line of this length in about ten microseconds. */
const longestSearched = 1_000;
const warningIntervalMs = 10_000;
/**
 * Creation time of every job. BullMQ makes a postponed job due at that time when its item is added
 * again, so it lies in the past for every clock. Not 0, which BullMQ treats as absent.
 */
const longAgoMs = 1;

/** Connects in the background: `add` works as soon as Redis answers. Throws MR_REDIS_INSECURE. */
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
  // Opened only in a process that takes items.
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
    // The queue listens to the shared connection until it is closed.
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
  // Own ids distinguish a new job from an existing one.
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
  // The last item of an identity in the batch replaces those before it.
  await wakeKnown(new Map(known.map(({ id, data }) => [id ?? '', data])), parts);
}

/** Existing jobs by their ids, and the items for which they are added again. */
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
