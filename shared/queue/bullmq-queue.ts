/**
 * The work queue on BullMQ: one BullMQ queue per function. The only file that imports it.
 *
 * B1 Deduplication by identity with keepLastIfActive gives one running and one waiting item, and
 *    keeps a wake-up that arrives meanwhile (Q1, Q2, Q3); `reschedule` pulls a postponed item to
 *    now when a fresh event arrives (Q4, Q6).
 * B2 Failures are BullMQ's count of attempts made, which survives everything but finishing.
 * B3 Jobs are fetched one by one and their locks are ours to prolong; BullMQ's worker loop, which
 *    would fetch ahead of demand, is never started.
 */
import { randomUUID } from 'node:crypto';
import { type Job, Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { type WorkItem, workItemIdentity } from '#shared/domain/work-item.ts';
import { closeRedis, connectRedis } from '#shared/redis/connection.ts';
import { defaultTimeoutMs } from '#shared/redis/deadline.ts';
import { rateLimitedWarnings, type RedisLog } from '#shared/redis/log.ts';
import { checkServer } from '#shared/redis/server-check.ts';
import { BlockedConnection, type BlockingRedis } from './blocked-connection.ts';
import { type HeldJob, type JobStore, LostLease, type Postponement } from './job-store.ts';
import { type KeyOf, parkedFields, parkedUntilMs, surplusParked } from './parked-jobs.ts';
import { type JobProducer, RedisQueue } from './redis-queue.ts';
import { parseWorkItem } from './stored-item.ts';
import { wakePostponed } from './wake-postponed.ts';
import type { WorkQueue } from './work-queue.ts';

export interface BullmqQueueOptions {
  /** `redis://` or `rediss://`. */
  readonly url: string;
  readonly log: RedisLog;
  /** Of all keys. In braces, so that a Redis Cluster keeps them on one node. */
  readonly prefix?: string;
  /** Bound of `add`, `depth` and `parked`, in milliseconds. */
  readonly timeoutMs?: number;
  /** A worker that is silent this long loses its items, in milliseconds. */
  readonly lockMs?: number;
  /** How often lost items are looked for, in milliseconds; the second look after a loss finds it. */
  readonly stalledCheckMs?: number;
  /** How long `close` waits for fetches, holders and settlements, in milliseconds. */
  readonly closeGraceMs?: number;
  /** Parked items kept per function; the oldest give way. */
  readonly maxParked?: number;
}

type Settings = Required<BullmqQueueOptions>;

/**
 * An item of a killed worker is taken again after `lockMs` and one or two stalled checks at most; a
 * worker may be blocked for three quarters of `lockMs` before it loses what it holds.
 */
const defaults = {
  prefix: '{millrace}',
  timeoutMs: defaultTimeoutMs,
  lockMs: 3_000,
  stalledCheckMs: 1_000,
  closeGraceMs: 1_000,
  maxParked: 10_000,
};

/** BullMQ fails an item for good when its workers died this often. It shall not (Q5). */
const maxStalledCount = 1_000_000_000;
/** BullMQ keeps a stream of what happens to jobs, which nobody reads. */
const eventsKept = 100;
const itemsPerBatch = 500;
const warningIntervalMs = 10_000;
/** BullMQ: no such job, no lock, not active, lock of another. */
const lostCodes: readonly unknown[] = [-1, -2, -3, -6];

/** Connects in the background; `add` works as soon as Redis answers. */
export function createBullmqQueue(options: BullmqQueueOptions): WorkQueue {
  const settings: Settings = { ...defaults, ...options };
  const { url, log, prefix, timeoutMs, lockMs, closeGraceMs } = settings;
  const redis = connectRedis(url, { role: 'producer', log });
  redis.once('ready', () => void checkServer(redis, log));
  const keysOf = (functionName: string) => (type: string) => `${prefix}:${functionName}:${type}`;
  // Only a process that takes needs it.
  let workerRedis: Redis | undefined;
  return new RedisQueue({
    log,
    timeoutMs,
    lockMs,
    closeGraceMs,
    redis,
    keysOf,
    openProducer: (functionName) => openProducer(functionName, redis, prefix),
    openStore: (functionName) => {
      workerRedis ??= connectRedis(url, { role: 'worker', log });
      return new BullmqJobStore({ functionName, settings, redis: workerRedis, keysOf });
    },
    close: async () => {
      if (workerRedis !== undefined) await closeRedis(workerRedis);
    },
  });
}

async function openProducer(name: string, redis: Redis, prefix: string): Promise<JobProducer> {
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
  return {
    add: async (items) => {
      for (let from = 0; from < items.length; from += itemsPerBatch) {
        await addBatch(queue, items.slice(from, from + itemsPerBatch));
      }
    },
  };
}

async function addBatch(queue: Queue<WorkItem>, items: readonly WorkItem[]): Promise<void> {
  // Ids of our own tell a new job from one that was there already.
  const jobs = items.map((item) => ({
    name: 'item',
    data: item,
    opts: {
      jobId: randomUUID(),
      deduplication: { id: workItemIdentity(item), keepLastIfActive: true, reschedule: true },
      removeOnComplete: true,
      removeOnFail: true,
    },
  }));
  const stored = await queue.addBulk(jobs);
  const coalesced = stored.filter((job, index) => job.id !== jobs[index]?.opts.jobId);
  await Promise.all(coalesced.map(rememberCause));
}

/** The item that waits already is to name the event that asked for it last. */
async function rememberCause(job: Job<WorkItem>): Promise<void> {
  try {
    await job.updateData(job.data);
  } catch (error) {
    // Finished meanwhile: its successor carries the event.
    if (!isLost(error)) throw error;
  }
}

interface StoreOptions {
  readonly functionName: string;
  readonly settings: Settings;
  readonly redis: Redis;
  readonly keysOf: (functionName: string) => KeyOf;
}

class BullmqJobStore implements JobStore {
  readonly #options: StoreOptions;
  readonly #worker: Worker<unknown>;
  readonly #jobs = new WeakMap<HeldJob, Job<unknown>>();
  readonly #keyOf: KeyOf;
  readonly #blocked: BlockedConnection;
  #fetches = 0;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#keyOf = options.keysOf(options.functionName);
    options.redis.defineCommand(wakePostponed.name, wakePostponed);
    this.#worker = openWorker(options);
    this.#blocked = new BlockedConnection(blockingConnectionOf(this.#worker));
  }

  async next({ block }: { readonly block: boolean }): Promise<HeldJob | undefined> {
    const { functionName, settings } = this.#options;
    this.#fetches += 1;
    const token = `${this.#worker.id}:${this.#fetches}`;
    if (block) await this.#blocked.identify();
    // Typed as if there always were one.
    const job = (await this.#worker.getNextJob(token, { block })) as Job<unknown> | undefined;
    if (job?.id === undefined) return undefined;
    const item = parseWorkItem(job.data, functionName);
    if (item === undefined) {
      settings.log.warn(
        { function: functionName, jobId: job.id },
        'dropped a malformed queue item',
      );
      await job.moveToCompleted(null, token, false);
      return undefined;
    }
    const held: HeldJob = { id: job.id, token, item, failures: job.attemptsMade };
    this.#jobs.set(held, job);
    return held;
  }

  stopWaiting(): Promise<void> {
    return this.#blocked.unblock(this.#options.redis);
  }

  async extend(jobs: readonly HeldJob[]): Promise<readonly HeldJob[]> {
    const ids = jobs.map(({ id }) => id);
    const tokens = jobs.map(({ token }) => token);
    const gone = await this.#worker.extendJobLocks(ids, tokens, this.#options.settings.lockMs);
    return jobs.filter(({ id }) => gone.includes(id));
  }

  async finish(held: HeldJob): Promise<void> {
    await settling(this.#jobs.get(held)?.moveToCompleted(null, held.token, false));
  }

  async giveBack(held: HeldJob): Promise<void> {
    await settling(this.#jobs.get(held)?.moveToWait(held.token));
  }

  /** In one transaction: postponed, and pulled back to now if a wake-up arrived while it ran. */
  async postpone(held: HeldJob, { afterMs, failed, parkedFor }: Postponement): Promise<void> {
    const nowMs = Date.now();
    const delayMs = parkedFor === undefined ? afterMs : parkedUntilMs(nowMs) - nowMs;
    const options = {
      skipAttempt: !failed,
      ...(parkedFor === undefined ? {} : { fieldsToUpdate: parkedNote(parkedFor, nowMs) }),
    };
    const wake = [...this.#wakeArgs(held, nowMs)];
    const backend = this.#worker.getBackend();
    const client = await backend.client;
    const transaction = client.multi();
    const move = backend.moveToDelayedArgs(held.id, nowMs, held.token, delayMs, options);
    backend.execCommand(transaction, 'moveToDelayed', move);
    transaction.runCommand(wakePostponed.name, wake);
    const replies = (await transaction.exec()) ?? [];
    if (replies.some(([error]) => isUnknownScript(error))) {
      // The server forgot its scripts; outside of a transaction the client sends their text again.
      await settling(backend.moveToDelayed(held.id, nowMs, delayMs, held.token, options));
      await client.runCommand(wakePostponed.name, wake);
    } else {
      checkMoved(replies);
    }
    if (parkedFor !== undefined) await this.#forgetSurplus(nowMs);
  }

  /** The worker's shared connection is closed by whoever opened it. */
  async close(): Promise<void> {
    await this.#worker.close(true);
    this.#wakeAnother();
  }

  /**
   * The marker that ends a wait is taken out by the worker that reads it, also the one that says
   * when the next postponed job is due. A marker too many costs somebody one look. Not awaited:
   * the connection says good-bye after it, and does not wait for ever.
   */
  #wakeAnother(): void {
    const { redis } = this.#options;
    if (redis.status === 'ready') redis.zadd(this.#keyOf('marker'), 0, '0').catch(() => undefined);
  }

  #wakeArgs(held: HeldJob, nowMs: number): readonly (string | number)[] {
    const keys = ['delayed', 'marker', held.id, `dn:${workItemIdentity(held.item)}`];
    return [...keys.map(this.#keyOf), held.id, nowMs];
  }

  async #forgetSurplus(nowMs: number): Promise<void> {
    const { redis, settings } = this.#options;
    const surplus = await surplusParked(redis, this.#keyOf, nowMs, settings.maxParked);
    for (const id of surplus) await this.#worker.getBackend().remove(id, false);
  }
}

function openWorker({ functionName, settings, redis }: StoreOptions): Worker<unknown> {
  const { log, prefix, lockMs, stalledCheckMs } = settings;
  const worker = new Worker<unknown>(functionName, null, {
    connection: redis,
    prefix,
    autorun: false,
    lockDuration: lockMs,
    stalledInterval: stalledCheckMs,
    maxStalledCount,
  });
  const warn = rateLimitedWarnings(log, warningIntervalMs);
  worker.on('error', (error) => {
    warn({ function: functionName, error: error.message }, 'queue worker reported an error');
  });
  worker.on('stalled', (jobId) => {
    log.info({ function: functionName, jobId }, 'item is taken again, its worker went away');
  });
  // Its errors arrive as events.
  void worker.startStalledCheckTimer();
  return worker;
}

/** BullMQ makes a copy of the connection it is given and says less about it than it is. */
async function blockingConnectionOf(worker: Worker<unknown>): Promise<BlockingRedis> {
  return (await worker.getBackend().blockingClient) as unknown as BlockingRedis;
}

function parkedNote(reason: string, nowMs: number): Record<string, string> {
  return { [parkedFields.reason]: reason, [parkedFields.atMs]: String(nowMs) };
}

async function settling(written: Promise<unknown> | undefined): Promise<void> {
  try {
    await written;
  } catch (error) {
    throw isLost(error) ? new LostLease('the job is not held any more', { cause: error }) : error;
  }
}

function checkMoved(replies: readonly (readonly [Error | null, unknown])[]): void {
  for (const [error] of replies) if (error !== null) throw error;
  if (lostCodes.includes(replies[0]?.[1])) throw new LostLease('the job is not held any more');
}

function isUnknownScript(error: Error | null): boolean {
  return error?.message.startsWith('NOSCRIPT') === true;
}

function isLost(error: unknown): boolean {
  return error instanceof Error && 'code' in error && lostCodes.includes(error.code);
}
