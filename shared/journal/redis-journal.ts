/**
 * The journal as a Redis Stream.
 *
 * journal-1 An event is recorded once per ten minutes, however often it is appended. A decision is always
 *    recorded, even twice if a caller repeats an append whose answer was lost.
 * journal-2 The stream is trimmed by whole nodes (`~`) for length and age, so slightly more is kept. Its bytes
 *    never exceed their bound.
 * journal-3 A Redis without memory does not stop the journal: it drops its oldest entries, with a warning.
 */
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import {
  addressOf,
  closeRedis,
  connectRedis,
  type RedisAddress,
  whenReady,
} from '#shared/redis/connection.ts';
import { defaultTimeoutMs, withinDeadline } from '#shared/redis/deadline.ts';
import { rateLimitedWarnings, type RedisLog } from '#shared/redis/log.ts';
import { defineScript, type RunScript } from '#shared/redis/script.ts';
import { infoField } from '#shared/redis/server-check.ts';
import { AppendLine, type Stored } from './append-line.ts';
import { defaultBounds, type JournalBounds } from './bounds.ts';
import type { Appended, Journal, JournalEntry, JournalRecord } from './journal.ts';
import { formatPosition, parsePosition } from './position.ts';
import { appendRecords } from './redis-scripts.ts';
import { parseRecord } from './stored-record.ts';

export interface RedisJournalOptions extends RedisAddress {
  readonly log: RedisLog;
  /** Prefix of all keys, as `redisPrefix` builds it: in braces, for one cluster. */
  readonly prefix: string;
  /** Time limit of every call, in milliseconds. */
  readonly timeoutMs?: number;
  readonly bounds?: Partial<JournalBounds>;
}

/** Small enough that a script never blocks Redis for long. */
const recordsPerScript = 200;
const warningIntervalMs = 10_000;

/** Connects in the background: calls work as soon as Redis answers. Throws MR_REDIS_INSECURE. */
export function createRedisJournal(options: RedisJournalOptions): Journal {
  return new RedisJournal(options);
}

class RedisJournal implements Journal {
  readonly #redis: Redis;
  readonly #prefix: string;
  readonly #timeoutMs: number;
  readonly #bounds: JournalBounds;
  readonly #append: RunScript;
  readonly #line: AppendLine<JournalRecord>;
  readonly #warn: ReturnType<typeof rateLimitedWarnings>;

  constructor({ url, prefix, timeoutMs, bounds, ...address }: RedisJournalOptions) {
    const { log } = address;
    this.#redis = connectRedis(url, { role: 'producer', ...address });
    this.#append = defineScript(this.#redis, appendRecords);
    this.#line = new AppendLine({
      store: (records) => this.#store(records),
      mostAtOnce: recordsPerScript,
    });
    this.#warn = rateLimitedWarnings(log, warningIntervalMs);
    this.#prefix = prefix;
    this.#timeoutMs = timeoutMs ?? defaultTimeoutMs;
    this.#bounds = { ...defaultBounds, ...bounds };
  }

  async append(records: readonly JournalRecord[]): Promise<Appended> {
    if (records.length === 0) return { bytes: 0 };
    return appendedOf(await this.#ask(() => this.#line.append(records)));
  }

  async read(after: string | undefined, limit: number): Promise<readonly JournalEntry[]> {
    const stream = this.#key('journal');
    for (let from = after === undefined ? '-' : `(${streamId(after)}`; ;) {
      const found = await this.#ask(() => this.#redis.xrange(stream, from, '+', 'COUNT', limit));
      const last = found.at(-1);
      const entries = found.flatMap(entryOf);
      // A page with only records of another format is not the end.
      if (entries.length > 0 || last === undefined) return entries;
      from = `(${last[0]}`;
    }
  }

  /**
   * A random id kept in the store, and the run id of the server. The run id matters because a restart
   * may lose the last second even of an append-only file, and a promoted replica is another run.
   */
  async epoch(): Promise<string> {
    const key = this.#key('epoch');
    return this.#ask(async () => {
      const [known, info] = await Promise.all([
        this.#redis.get(key),
        // A strict ACL refuses this. The id alone still shows an emptied store.
        this.#redis.info('server').catch(() => ''),
      ]);
      // Written only if missing: a server without memory refuses every SET.
      const id = known ?? (await this.#newEpoch(key));
      return `${id}.${infoField(info, 'run_id') ?? ''}`;
    });
  }

  async #newEpoch(key: string): Promise<string> {
    await this.#redis.set(key, randomUUID(), 'NX');
    return (await this.#redis.get(key)) ?? '';
  }

  close(): Promise<void> {
    return closeRedis(this.#redis);
  }

  async #store(records: readonly JournalRecord[]): Promise<readonly Stored[]> {
    const { maxEntries, maxAgeMs, maxBytes, seenMs } = this.#bounds;
    const stream = this.#key('journal');
    const seenKeys = records.map((record) =>
      record.kind === 'event' ? this.#key(`seen:${record.event.id}`) : stream,
    );
    const texts = records.map((record) => JSON.stringify(record));
    const reply = await this.#append(
      1 + records.length,
      stream,
      ...seenKeys,
      maxEntries,
      maxAgeMs,
      maxBytes,
      seconds(seenMs),
      ...texts,
    );
    const [added, oldest, givenUp] = reply as [string[], string, number];
    if (givenUp > 0) {
      const address = addressOf(this.#redis);
      this.#warn(
        { address, entries: givenUp },
        'redis is out of memory: the journal was shortened',
      );
    }
    return texts.map((text, index) => ({
      position: positionOf(added[index] ?? ''),
      oldest: positionOf(oldest),
      bytes: Buffer.byteLength(text),
    }));
  }

  #ask<Result>(call: () => Promise<Result>): Promise<Result> {
    const deadline = { address: addressOf(this.#redis), timeoutMs: this.#timeoutMs };
    return withinDeadline(deadline, async (signal) => {
      await whenReady(this.#redis, signal);
      return call();
    });
  }

  #key(name: string): string {
    return `${this.#prefix}:${name}`;
  }
}

function appendedOf(stored: readonly Stored[]): Appended {
  const position = stored.findLast((each) => each.position !== '')?.position;
  const { oldest = '' } = stored.at(-1) ?? {};
  return {
    ...(position === undefined ? {} : { position }),
    ...(oldest === '' ? {} : { oldest }),
    bytes: stored.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

function entryOf([id, [, text]]: [string, string[]]): readonly JournalEntry[] {
  const record = parseRecord(text ?? '');
  return record === undefined ? [] : [{ position: positionOf(id), record }];
}

/** Empty: there is no such entry. */
function positionOf(streamEntryId: string): string {
  if (streamEntryId === '') return '';
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
