/** The parts of a work queue on Redis that are independent of how its jobs are stored. */
import type { Redis } from 'ioredis';
import { type WorkItem, workItemIdentity } from '#shared/domain/work-item.ts';
import { addressOf, closeRedis, whenReady } from '#shared/redis/connection.ts';
import { withinDeadline } from '#shared/redis/deadline.ts';
import type { RedisLog } from '#shared/redis/log.ts';
import { defineScript, type RunScript } from '#shared/redis/script.ts';
import { FunctionConsumer } from './function-consumer.ts';
import type { JobStore } from './job-store.ts';
import { dropParkedJob, type KeyOf, parkedFromScore, readParked } from './parked-jobs.ts';
import { countJobs, readDepth } from './queue-depth.ts';
import type { Lease, ParkedItem, QueueDepth, WorkQueue } from './work-queue.ts';

/** Stores work items of one function. */
export interface JobProducer {
  add(items: readonly WorkItem[]): Promise<void>;
}

export interface RedisQueueOptions {
  readonly log: RedisLog;
  /** Time limit of requests to Redis except `take`, in milliseconds. */
  readonly timeoutMs: number;
  /** A lock lasts for this time without being prolonged, in milliseconds. */
  readonly lockMs: number;
  /** Maximum wait of `close` for fetches, holders and settlements, in milliseconds. */
  readonly closeGraceMs: number;
  readonly redis: Redis;
  readonly keysOf: (functionName: string) => KeyOf;
  /** May reject while Redis is away; it is called again then. */
  readonly openProducer: (functionName: string) => Promise<JobProducer>;
  readonly openStore: (functionName: string) => JobStore;
  readonly close: () => Promise<void>;
}

export class RedisQueue implements WorkQueue {
  readonly #options: RedisQueueOptions;
  readonly #producers = new Map<string, Promise<JobProducer>>();
  readonly #consumers = new Map<string, FunctionConsumer>();
  readonly #count: RunScript;
  readonly #drop: RunScript;
  #closed: Promise<void> | undefined;

  constructor(options: RedisQueueOptions) {
    this.#options = options;
    this.#count = defineScript(options.redis, countJobs);
    this.#drop = defineScript(options.redis, dropParkedJob);
  }

  async add(items: readonly WorkItem[]): Promise<void> {
    const byFunction = Map.groupBy(items, (item) => item.function);
    await this.#ask(() =>
      Promise.all(
        [...byFunction].map(async ([functionName, group]) => {
          const producer = await this.#producerOf(functionName);
          await producer.add(group);
        }),
      ),
    );
  }

  async take(functionName: string, signal: AbortSignal): Promise<Lease | undefined> {
    if (this.#closed !== undefined) return undefined;
    return this.#consumerOf(functionName).take(signal);
  }

  async depth(functionName: string): Promise<QueueDepth> {
    return this.#ask(() => readDepth(this.#count, this.#options.keysOf(functionName)));
  }

  async parked(functionName: string): Promise<readonly ParkedItem[]> {
    const { redis, keysOf } = this.#options;
    return this.#ask(() => readParked(redis, keysOf(functionName), functionName));
  }

  async dropParked(item: Pick<WorkItem, 'function' | 'key'>): Promise<boolean> {
    const keyOf = this.#options.keysOf(item.function);
    const args = [keyOf('delayed'), keyOf(''), parkedFromScore, workItemIdentity(item)];
    return (await this.#ask(() => this.#drop(...args))) === 1;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#consumers.values()].map((consumer) => consumer.close()));
    await this.#options.close();
    await closeRedis(this.#options.redis);
  }

  #ask<Result>(call: () => Promise<Result>): Promise<Result> {
    const { redis, timeoutMs } = this.#options;
    return withinDeadline({ address: addressOf(redis), timeoutMs }, async (signal) => {
      await whenReady(redis, signal);
      return call();
    });
  }

  /**
   * A producer whose first contact failed would fail for ever, so it is dropped and opened again.
   */
  #producerOf(functionName: string): Promise<JobProducer> {
    const known = this.#producers.get(functionName);
    if (known !== undefined) return known;
    const opened = this.#options.openProducer(functionName);
    this.#producers.set(functionName, opened);
    opened.catch(() => this.#producers.delete(functionName));
    return opened;
  }

  #consumerOf(functionName: string): FunctionConsumer {
    const known = this.#consumers.get(functionName);
    if (known !== undefined) return known;
    const { lockMs, closeGraceMs, log, openStore } = this.#options;
    const store = openStore(functionName);
    const consumer = new FunctionConsumer({ functionName, store, lockMs, closeGraceMs, log });
    this.#consumers.set(functionName, consumer);
    return consumer;
  }
}
