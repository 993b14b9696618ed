/** Views in Redis: for each root a hash of its entries and the order in which they were written. */
import type { Redis } from 'ioredis';
import { asResourceVersion, type Uid } from '#shared/domain/objects.ts';
import {
  addressOf,
  closeRedis,
  connectRedis,
  type RedisAddress,
  whenReady,
} from '#shared/redis/connection.ts';
import { defaultTimeoutMs, withinDeadline } from '#shared/redis/deadline.ts';
import type { RedisLog } from '#shared/redis/log.ts';
import { defineScript, type RunScript } from '#shared/redis/script.ts';
import {
  holdViews,
  noteInView,
  readNotes,
  readView,
  releaseViews,
  writeViews,
} from './redis-scripts.ts';
import {
  defaultViewTimes,
  mostGone,
  type RootWrite,
  type ViewEntry,
  type ViewPoint,
  type ViewReading,
  type ViewStore,
  type ViewTimes,
  type Written,
} from './view-store.ts';

export interface RedisViewsOptions extends RedisAddress {
  readonly log: RedisLog;
  /** Prefix of all keys, as `redisPrefix` builds it: in braces, for one cluster. */
  readonly prefix: string;
  /** Time limit of every call, in milliseconds. */
  readonly timeoutMs?: number;
  readonly times?: Partial<ViewTimes>;
}

/** Connects in the background: calls work as soon as Redis answers. Throws MR_REDIS_INSECURE. */
export function createRedisViews(options: RedisViewsOptions): ViewStore {
  return new RedisViews(options);
}

class RedisViews implements ViewStore {
  readonly #redis: Redis;
  readonly #prefix: string;
  readonly #timeoutMs: number;
  readonly #times: ViewTimes;
  readonly #hold: RunScript;
  readonly #release: RunScript;
  readonly #write: RunScript;
  readonly #note: RunScript;
  readonly #read: RunScript;
  readonly #readNotes: RunScript;

  constructor({ url, prefix, timeoutMs, times, ...address }: RedisViewsOptions) {
    this.#redis = connectRedis(url, { role: 'producer', ...address });
    this.#hold = defineScript(this.#redis, holdViews);
    this.#release = defineScript(this.#redis, releaseViews);
    this.#write = defineScript(this.#redis, writeViews);
    this.#note = defineScript(this.#redis, noteInView);
    this.#read = defineScript(this.#redis, readView);
    this.#readNotes = defineScript(this.#redis, readNotes);
    this.#prefix = prefix;
    this.#timeoutMs = timeoutMs ?? defaultTimeoutMs;
    this.#times = { ...defaultViewTimes, ...times };
  }

  async hold(session: string, takesOver: boolean): Promise<boolean> {
    const { sessionMs } = this.#times;
    const holds = await this.#ask(() =>
      this.#hold(this.#sessionKey, session, sessionMs, takesOver ? 1 : 0),
    );
    return holds === 1;
  }

  async release(session = ''): Promise<void> {
    await this.#ask(() => this.#release(this.#sessionKey, session));
  }

  async write(session: string, writes: readonly RootWrite[]): Promise<Written> {
    const keys = [this.#sessionKey, ...writes.flatMap(({ root }) => this.#keysOf(root))];
    const given = writes.flatMap(({ isWhole, entries }) => [
      isWhole ? 1 : 0,
      entries.length,
      ...entries.flatMap((entry) => [entry.key, valueOf(entry)]),
    ]);
    const reply = await this.#ask(() =>
      this.#write(keys.length, ...keys, session, this.#times.unusedMs, mostGone, ...given),
    );
    if (reply === -1) return { isHeld: false, missing: [] };
    const absent = new Set(reply as readonly number[]);
    const missing = writes.filter((_, index) => absent.has(index)).map(({ root }) => root);
    return { isHeld: true, missing };
  }

  async note(root: Uid, notes: readonly ViewEntry[]): Promise<void> {
    const given = notes.flatMap((entry) => [entry.key, valueOf(entry)]);
    await this.#ask(() => this.#note(...this.#keysOf(root), this.#times.unusedMs, ...given));
  }

  async notes(root: Uid): Promise<readonly ViewEntry[] | undefined> {
    const reply = await this.#ask(() =>
      this.#readNotes(this.#sessionKey, ...this.#keysOf(root), this.#times.unusedMs),
    );
    return reply === null ? undefined : entriesOf(reply as readonly string[]);
  }

  async read(root: Uid, known?: ViewPoint): Promise<ViewReading | undefined> {
    const { generation = '', upTo = 0 } = known ?? {};
    const reply = await this.#ask(() =>
      this.#read(this.#sessionKey, ...this.#keysOf(root), generation, upTo, this.#times.unusedMs),
    );
    if (reply === null) return undefined;
    const [life = '', written, after, ...entries] = reply as readonly string[];
    return {
      generation: life,
      upTo: Number(written),
      after: Number(after),
      entries: entriesOf(entries),
    };
  }

  close(): Promise<void> {
    return closeRedis(this.#redis);
  }

  get #sessionKey(): string {
    return `${this.#prefix}:views`;
  }

  #keysOf(root: Uid): readonly [entries: string, order: string] {
    return [`${this.#prefix}:view:${root}`, `${this.#prefix}:view-order:${root}`];
  }

  #ask<Result>(call: () => Promise<Result>): Promise<Result> {
    const deadline = { address: addressOf(this.#redis), timeoutMs: this.#timeoutMs };
    return withinDeadline(deadline, async (signal) => {
      await whenReady(this.#redis, signal);
      return call();
    });
  }
}

function valueOf({ version, content }: ViewEntry): string {
  return content === undefined ? version : `${version} ${content}`;
}

function entriesOf(flat: readonly string[]): readonly ViewEntry[] {
  return flat.flatMap((key, index) => {
    const value = flat[index + 1];
    return index % 2 === 1 || value === undefined ? [] : [entryOf(key, value)];
  });
}

function entryOf(key: string, value: string): ViewEntry {
  const blank = value.indexOf(' ');
  if (blank === -1) return { key, version: asResourceVersion(value) };
  return {
    key,
    version: asResourceVersion(value.slice(0, blank)),
    content: value.slice(blank + 1),
  };
}
