/**
 * The append-only record: what was seen (events) and what was decided. Adapters: Redis Stream,
 * memory. Bounded by age and by length. Never holds specs with env values, Secrets or event payloads.
 */
import type { EventReference } from '#shared/events/event.ts';
import type { Json, ObjectKey } from '#shared/domain/objects.ts';
import type { Reason } from '#shared/domain/decision.ts';

export const journalFormat = 1;

export interface EventRecord {
  readonly kind: 'event';
  readonly format: typeof journalFormat;
  readonly event: EventReference;
  /** When the bridge recorded it, milliseconds since the epoch. */
  readonly atMs: number;
}

export interface DecisionRecord {
  readonly kind: 'decision';
  readonly format: typeof journalFormat;
  /** The event that led to it. */
  readonly cause: string;
  readonly function: string;
  readonly version: string;
  readonly key: ObjectKey;
  readonly nowMs: number;
  readonly gates: Readonly<Record<string, boolean>>;
  /** Redacted; large immutable parts are replaced by {"$content": "<sha256>"}. */
  readonly snapshot: Json;
  readonly plan: Json;
  readonly reasons: readonly Reason[];
  readonly requeueAtMs?: number;
  readonly outcome: string;
  readonly durationMs: {
    readonly observe: number;
    readonly decide: number;
    readonly apply: number;
  };
}

export type JournalRecord = EventRecord | DecisionRecord;

export interface JournalEntry {
  /** Position; sorts as text in the order of appending. */
  readonly position: string;
  readonly record: JournalRecord;
}

export interface Journal {
  /** Returns when the records are stored. Throws MR_QUEUE_UNAVAILABLE within a bounded time. */
  append(records: readonly JournalRecord[]): Promise<void>;
  /** Stores an immutable value under its hash, once. */
  putContent(hash: string, content: Json): Promise<void>;
  getContent(hash: string): Promise<Json | undefined>;
  /** Entries after `position` (from the oldest when absent), oldest first. */
  read(after: string | undefined, limit: number): Promise<readonly JournalEntry[]>;
  /**
   * Changes when the store lost its data (FLUSHALL, an empty replacement): whoever fills the queue
   * compares it with what it saw last and re-adds everything when it differs.
   */
  epoch(): Promise<string>;
  close(): Promise<void>;
}
