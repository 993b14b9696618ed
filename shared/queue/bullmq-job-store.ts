/** The jobs of one function in BullMQ's keys, for taking. bullmq-2 to bullmq-4. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Job, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { workItemIdentity } from '#shared/domain/work-item.ts';
import { rateLimitedWarnings, type RedisLog } from '#shared/redis/log.ts';
import { defineScript, type RunScript } from '#shared/redis/script.ts';
import { BlockedConnection, type BlockingRedis } from './blocked-connection.ts';
import { finishJob, postponeJob, takeJob } from './bullmq-scripts.ts';
import { type HeldJob, type JobStore, LostLease, type Postponement } from './job-store.ts';
import { type KeyOf, parkedFields, parkedFromMs, parkedFromScore } from './parked-jobs.ts';
import { depthKeys } from './queue-depth.ts';
import { ServerClock } from './server-clock.ts';
import { parseJson, parseWorkItem } from './stored-item.ts';

export interface BullmqJobStoreOptions {
  readonly functionName: string;
  readonly settings: {
    readonly log: RedisLog;
    readonly prefix: string;
    readonly lockMs: number;
    readonly stalledCheckMs: number;
    readonly longestBlockMs: number;
    readonly maxParked: number;
  };
  readonly redis: Redis;
  readonly keyOf: KeyOf;
}

/** BullMQ fails an item for good after its workers died this often. That must never happen (queue-5). */
const maxStalledCount = 1_000_000_000;
const warningIntervalMs = 10_000;
/** BullMQ's codes: no such job, no lock, not active, lock of another. */
const lostCodes: readonly unknown[] = [-1, -2, -3, -6];
const pauseAfterFailureMs = 100;
/** BullMQ keeps and counts nothing of a finished job. */
const finished = { keepJobs: { count: 0 }, attempts: 0, maxMetricsSize: '' };

const lineKeys = [
  'wait',
  'active',
  'prioritized',
  'events',
  'stalled',
  'limiter',
  'delayed',
  'paused',
  'meta',
  'pc',
] as const;

export class BullmqJobStore implements JobStore {
  readonly #options: BullmqJobStoreOptions;
  readonly #worker: Worker<unknown>;
  readonly #keyOf: KeyOf;
  readonly #blocked: BlockedConnection;
  readonly #take: RunScript;
  readonly #postpone: RunScript;
  readonly #finish: RunScript;
  readonly #clock = new ServerClock();
  readonly #closing = new AbortController();
  #fetches = 0;
  #connecting: Promise<unknown> | undefined;
  /** When the next job is due by the server's clock. Undefined: one may be due now. */
  #nextDueMs: number | undefined;

  constructor(options: BullmqJobStoreOptions) {
    this.#options = options;
    this.#keyOf = options.keyOf;
    this.#take = defineScript(options.redis, takeJob);
    this.#postpone = defineScript(options.redis, postponeJob);
    this.#finish = defineScript(options.redis, finishJob);
    this.#worker = openWorker(options);
    this.#blocked = new BlockedConnection(blockingConnectionOf(this.#worker));
  }

  async next({ block }: { readonly block: boolean }): Promise<HeldJob | undefined> {
    if (block && this.#nextDueMs !== undefined) await this.#wait(this.#nextDueMs);
    if (block && this.#isAhead(this.#nextDueMs)) return undefined;
    // The lock's time must not start while the request waits for the connection.
    await this.#connected();
    return this.#closing.signal.aborted ? undefined : this.#fetch();
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

  finish(job: HeldJob): Promise<void> {
    return this.#end(job, JSON.stringify(job.item));
  }

  async giveBack({ id, token }: HeldJob): Promise<void> {
    try {
      await this.#jobOf(id).moveToWait(token);
    } catch (error) {
      throw isLost(error) ? lostLease(error) : error;
    }
  }

  async postpone(held: HeldJob, { afterMs, failed, parkedFor }: Postponement): Promise<void> {
    const { maxParked } = this.#options.settings;
    const types = ['marker', 'active', 'prioritized', 'delayed', held.id, 'events', 'meta'];
    const identity = workItemIdentity(held.item);
    const keys = [...types, 'stalled', 'wait', 'limiter', 'pc', `dn:${identity}`];
    const delayMs = parkedFor === undefined ? afterMs : parkedFromMs;
    const moved = await this.#postpone(
      ...keys.map(this.#keyOf),
      ...[this.#keyOf(''), '', held.id, held.token, delayMs, failed ? '0' : '1', '', 0, ''],
      ...[parkedFor ?? '', parkedFromScore, maxParked, parkedFields.reason, parkedFields.atMs],
      ...[JSON.stringify(held.item), identity],
    );
    if (lostCodes.includes(moved)) throw lostLease();
  }

  /** The worker's shared connection is closed by its owner. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#worker.close(true);
    this.#wakeAnother();
  }

  /** Resolves when the connection is open or the store closes. Never rejects. */
  async #connected(): Promise<void> {
    const { redis } = this.#options;
    if (redis.status === 'ready') return;
    this.#connecting ??= once(redis, 'ready', { signal: this.#closing.signal })
      .catch(() => undefined)
      .finally(() => (this.#connecting = undefined));
    await this.#connecting;
  }

  /** Waits until a marker reports an added job, the next job is due, or `stopWaiting` is called. */
  async #wait(nextDueMs: number): Promise<void> {
    await this.#blocked.identify();
    this.#nextDueMs = undefined;
    const backend = this.#worker.getBackend();
    const { longestBlockMs } = this.#options.settings;
    const dueInMs = nextDueMs === Infinity ? longestBlockMs / 2 : this.#clock.msUntil(nextDueMs);
    if (dueInMs === 0) return;
    const seconds = Math.max(
      Math.min(dueInMs, longestBlockMs) / 1_000,
      backend.minimumBlockTimeout,
    );
    try {
      const marker = await backend.waitForJob(seconds);
      // The marker has the due time of the job that was postponed last or is due first. Take the
      // earlier time.
      if (marker !== null) this.#nextDueMs = Math.min(marker.score, nextDueMs);
    } catch {
      await this.#recoverWait();
    }
  }

  /** The connection was lost and reports that itself. */
  async #recoverWait(): Promise<void> {
    const { signal } = this.#closing;
    if (signal.aborted) return;
    await this.#worker
      .getBackend()
      .reconnectBlocking()
      .catch(() => undefined);
    await sleep(pauseAfterFailureMs, undefined, { signal }).catch(() => undefined);
  }

  #isAhead(dueMs: number | undefined): boolean {
    return dueMs !== undefined && this.#clock.msUntil(dueMs) > 0;
  }

  async #fetch(): Promise<HeldJob | undefined> {
    const { lockMs } = this.#options.settings;
    this.#fetches += 1;
    const token = `${this.#worker.id}:${this.#fetches}`;
    const askedMs = performance.now();
    const bullmqs = JSON.stringify({ token, lockDuration: lockMs });
    const keys = [...lineKeys, 'marker', depthKeys.taken].map(this.#keyOf);
    const reply = await this.#take(...keys, this.#keyOf(''), '', bullmqs);
    const [nowMs, [fields, id, , nextDueMs]] = reply as TakenReply;
    this.#clock.set(nowMs);
    this.#nextDueMs = id === 0 ? nextDueMs || Infinity : undefined;
    return id === 0 || fields === 0 ? undefined : this.#held({ id, token, askedMs }, fields);
  }

  async #held(
    lock: Pick<HeldJob, 'id' | 'token' | 'askedMs'>,
    fields: readonly string[],
  ): Promise<HeldJob | undefined> {
    const { functionName, settings } = this.#options;
    const item = parseWorkItem(parseJson(fieldOf(fields, 'data')), functionName);
    if (item !== undefined) return { ...lock, item, failures: Number(fieldOf(fields, 'atm') ?? 0) };
    const said = { function: functionName, jobId: lock.id };
    settings.log.warn(said, 'dropped a malformed queue item');
    await this.#end(lock, '');
    return undefined;
  }

  /** `item`: the held item as JSON; empty if unknown. */
  async #end({ id, token }: Pick<HeldJob, 'id' | 'token'>, item: string): Promise<void> {
    const keys = [...lineKeys, 'completed', id, 'metrics:completed', 'marker'].map(this.#keyOf);
    const bullmqs = JSON.stringify({ ...finished, token });
    const ended = ['returnvalue', 'null', 'completed', 0, this.#keyOf(''), bullmqs, ''];
    const code = await this.#finish(...keys, id, '', ...ended, item);
    if (lostCodes.includes(code)) throw lostLease();
  }

  /**
   * The worker that reads a marker removes it, even one with the due time of the next postponed job.
   * So wake another worker; a needless marker costs one look. Not awaited: the connection sends QUIT
   * after it and does not wait for ever.
   */
  #wakeAnother(): void {
    const { redis } = this.#options;
    if (redis.status === 'ready') redis.zadd(this.#keyOf('marker'), 0, '0').catch(() => undefined);
  }

  /** The fields that BullMQ needs to give a job back. */
  #jobOf(id: string): Job<unknown> {
    return new Job<unknown>(this.#worker, 'item', undefined, {}, id);
  }
}

/** The server's time, the job's fields or 0, its id or 0, 0, and when the next one is due or 0. */
type TakenReply = readonly [number, readonly [readonly string[] | 0, string | 0, number, number]];

/** Reads an HGETALL reply of Redis: names and values alternate. */
function fieldOf(fields: readonly string[], name: string): string | undefined {
  const at = fields.findIndex((text, index) => index % 2 === 0 && text === name);
  return at === -1 ? undefined : fields[at + 1];
}

function openWorker({ functionName, settings, redis }: BullmqJobStoreOptions): Worker<unknown> {
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
  // Errors arrive as events.
  void worker.startStalledCheckTimer();
  return worker;
}

/** BullMQ copies the connection it gets, and its type says less than the object has. */
async function blockingConnectionOf(worker: Worker<unknown>): Promise<BlockingRedis> {
  return (await worker.getBackend().blockingClient) as unknown as BlockingRedis;
}

function lostLease(cause?: unknown): LostLease {
  return new LostLease('the job is not held any more', { cause });
}

/** BullMQ refused because the job is gone or the caller does not hold it. */
function isLost(error: unknown): boolean {
  return error instanceof Error && 'code' in error && lostCodes.includes(error.code);
}
