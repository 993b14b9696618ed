/**
 * The journal as a Redis Stream.
 *
 * J1 An event is recorded once per ten minutes however often it is appended; decisions always are,
 *    and twice when a caller repeats an append whose answer was lost.
 * J2 The stream is trimmed by whole nodes (`~`), so slightly more than the bounds is kept.
 */
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Json } from '#shared/domain/objects.ts';
import { addressOf, closeRedis, connectRedis, whenReady } from '#shared/redis/connection.ts';
import { defaultTimeoutMs, withinDeadline } from '#shared/redis/deadline.ts';
import type { RedisLog } from '#shared/redis/log.ts';
import { defineScript, type RunScript } from '#shared/redis/script.ts';
import { infoField } from '#shared/redis/server-check.ts';
import { defaultBounds, type JournalBounds } from './bounds.ts';
import type { Journal, JournalEntry, JournalRecord } from './journal.ts';
import { formatPosition, parsePosition } from './position.ts';
import { appendRecords, putContent } from './redis-scripts.ts';
import { parseRecord } from './stored-record.ts';

export interface RedisJournalOptions {
  /** `redis://` or `rediss://`. */
  readonly url: string;
  readonly log: RedisLog;
  /** Of all keys. In braces, so that a Redis Cluster keeps them on one node. */
  readonly prefix?: string;
  /** Bound of every call, in milliseconds. */
  readonly timeoutMs?: number;
  readonly bounds?: Partial<JournalBounds>;
}

/** Short enough that a script never holds Redis up for long. */
const recordsPerScript = 200;

/** Connects in the background; calls work as soon as Redis answers. */
export function createRedisJournal(options: RedisJournalOptions): Journal {
  return new RedisJournal(options);
}

class RedisJournal implements Journal {
  readonly #redis: Redis;
  readonly #prefix: string;
  readonly #timeoutMs: number;
  readonly #bounds: JournalBounds;
  readonly #append: RunScript;
  readonly #put: RunScript;

  constructor({ url, log, prefix, timeoutMs, bounds }: RedisJournalOptions) {
    this.#redis = connectRedis(url, { role: 'producer', log });
    this.#append = defineScript(this.#redis, appendRecords);
    this.#put = defineScript(this.#redis, putContent);
    this.#prefix = prefix ?? '{millrace}';
    this.#timeoutMs = timeoutMs ?? defaultTimeoutMs;
    this.#bounds = { ...defaultBounds, ...bounds };
  }

  async append(records: readonly JournalRecord[]): Promise<void> {
    if (records.length === 0) return;
    const batches = Array.from({ length: Math.ceil(records.length / recordsPerScript) }, (_, n) =>
      records.slice(n * recordsPerScript, (n + 1) * recordsPerScript),
    );
    // Sent one after the other without waiting, so Redis runs them in order.
    await this.#ask(() => Promise.all(batches.map((batch) => this.#appendBatch(batch))));
  }

  async putContent(hash: string, content: Json): Promise<void> {
    const { maxAgeMs, maxContents } = this.#bounds;
    await this.#ask(() =>
      this.#put(
        this.#contentKey(hash),
        this.#key('contents'),
        hash,
        JSON.stringify(content),
        Date.now(),
        seconds(maxAgeMs),
        maxContents,
        this.#contentKey(''),
      ),
    );
  }

  async getContent(hash: string): Promise<Json | undefined> {
    const keepSeconds = seconds(this.#bounds.maxAgeMs);
    const [text] = await this.#ask(() =>
      Promise.all([
        this.#redis.getex(this.#contentKey(hash), 'EX', keepSeconds),
        // XX: a value that is gone is not listed as used.
        this.#redis.zadd(this.#key('contents'), 'XX', Date.now(), hash),
      ]),
    );
    return text === null ? undefined : (JSON.parse(text) as Json);
  }

  async read(after: string | undefined, limit: number): Promise<readonly JournalEntry[]> {
    const from = after === undefined ? '-' : `(${streamId(after)}`;
    const stream = this.#key('journal');
    const found = await this.#ask(() => this.#redis.xrange(stream, from, '+', 'COUNT', limit));
    return found.flatMap(([id, [, text]]) => {
      const record = parseRecord(text ?? '');
      return record === undefined ? [] : [{ position: positionOf(id), record }];
    });
  }

  /**
   * A random id kept in the store, and the run of the server: a restart may have lost the last
   * second even of an append-only file, and a promoted replica is another run.
   */
  async epoch(): Promise<string> {
    const key = this.#key('epoch');
    return this.#ask(async () => {
      const [, id, info] = await Promise.all([
        this.#redis.set(key, randomUUID(), 'NX'),
        this.#redis.get(key),
        // Refused under a strict ACL; the id alone still tells an emptied store.
        this.#redis.info('server').catch(() => ''),
      ]);
      return `${id ?? ''}.${infoField(info, 'run_id') ?? ''}`;
    });
  }

  close(): Promise<void> {
    return closeRedis(this.#redis);
  }

  async #appendBatch(records: readonly JournalRecord[]): Promise<void> {
    const { maxEntries, maxAgeMs, seenMs } = this.#bounds;
    const stream = this.#key('journal');
    const seenKeys = records.map((record) =>
      record.kind === 'event' ? this.#key(`seen:${record.event.id}`) : stream,
    );
    await this.#append(
      1 + records.length,
      stream,
      ...seenKeys,
      maxEntries,
      Math.max(0, Date.now() - maxAgeMs),
      seconds(seenMs),
      ...records.map((record) => JSON.stringify(record)),
    );
  }

  #ask<Result>(call: () => Promise<Result>): Promise<Result> {
    const deadline = { address: addressOf(this.#redis), timeoutMs: this.#timeoutMs };
    return withinDeadline(deadline, async (signal) => {
      await whenReady(this.#redis, signal);
      return call();
    });
  }

  #contentKey(hash: string): string {
    return this.#key(`content:${hash}`);
  }

  #key(name: string): string {
    return `${this.#prefix}:${name}`;
  }
}

function positionOf(streamEntryId: string): string {
  const [ms, sequence] = streamEntryId.split('-').map(Number);
  return formatPosition(ms ?? 0, sequence ?? 0);
}

function streamId(position: string): string {
  const { ms, sequence } = parsePosition(position);
  return `${ms}-${sequence}`;
}

function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}
