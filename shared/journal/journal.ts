/**
 * The append-only record: what was seen (events) and what was decided. Adapters: Redis Stream,
 * memory. Reviews of admission are in a journal of their own: anybody may send as many as they like, and
 * they are not to push out what was decided. Bounded by age, by length and by bytes: at its bound it drops the oldest and goes on.
 * Never holds specs with env values, Secrets or event payloads.
 */
import type { EventReference } from '#shared/events/event-reference.ts';
import type { Review } from '#shared/domain/admission-decision.ts';
import type { Json, ObjectKey } from '#shared/domain/objects.ts';
import type { Ground, Reason } from '#shared/domain/decision.ts';
import type { Delta } from './delta.ts';
import type { StoredPlan } from './stored-plan.ts';

/** 2: decisions as differences. Records of another format are skipped. */
export const journalFormat = 2;

export interface EventRecord {
  readonly kind: 'event';
  readonly format: typeof journalFormat;
  readonly event: EventReference;
  /** When the bridge recorded it, milliseconds since the epoch. */
  readonly atMs: number;
}

/** As it is stored; `DecisionReader` makes what was decided on, and what, of it again. */
export interface DecisionRecord {
  readonly kind: 'decision';
  readonly format: typeof journalFormat;
  /** The event that led to it. */
  readonly cause: string;
  readonly function: string;
  readonly version: string;
  readonly key: ObjectKey;
  readonly nowMs: number;
  /** Whether many decisions were under way in the process. Absent: no. */
  readonly isUnderLoad?: boolean | undefined;
  /**
   * Position of the record that this one tells the difference from: an earlier one of the same
   * function and object. Absent: it stands for itself.
   */
  readonly base?: string;
  /** Redacted. From nothing when there is no base. */
  readonly snapshot: Delta;
  /** Redacted. */
  readonly plan: StoredPlan;
  readonly reasons: readonly Reason[];
  readonly requeueAtMs?: number;
  /** Other objects, as they were read, that it rests on. */
  readonly restsOn?: readonly Ground[];
  readonly outcome: string;
  readonly durationMs: {
    readonly observe: number;
    readonly decide: number;
    readonly apply: number;
  };
}

/** What an admission was asked and what it said; `shared/admission/review-record.ts` makes it. */
export interface ReviewedRecord {
  readonly kind: 'review';
  readonly format: typeof journalFormat;
  readonly admission: string;
  readonly version: string;
  /** Redacted. */
  readonly review: Review;
  /** Redacted. */
  readonly facts?: Json;
  readonly nowMs: number;
  /** Redacted. */
  readonly decision: Json;
  readonly answered: boolean;
  /** What was left out of it was so large: objects and facts. */
  readonly leftOutBytes?: number;
}

export type JournalRecord = EventRecord | DecisionRecord | ReviewedRecord;

export interface JournalEntry<Record extends JournalRecord = JournalRecord> {
  /** Sorts as text in the order of appending; one is never given twice. */
  readonly position: string;
  readonly record: Record;
}

export interface Appended {
  /** Of the last record that was stored; undefined: all were repeats. */
  readonly position?: string;
  /** Of the oldest entry that the journal still has; undefined: it has none. */
  readonly oldest?: string;
  /** Of the given records, as the bound on bytes counts them. */
  readonly bytes: number;
}

export interface Journal {
  /**
   * Returns when the records are stored. Drops the oldest entries where a bound is reached, and where
   * the store has no room left. Throws MR_QUEUE_UNAVAILABLE within a bounded time.
   */
  append(records: readonly JournalRecord[]): Promise<Appended>;
  /** Entries after `position` (from the oldest when absent), oldest first. */
  read(after: string | undefined, limit: number): Promise<readonly JournalEntry[]>;
  /**
   * Changes when the store lost its data (FLUSHALL, an empty replacement): the bridge
   * compares it with what it saw last and re-adds everything when it differs.
   */
  epoch(): Promise<string>;
  close(): Promise<void>;
}
