/**
 * The append-only record of events and decisions. Adapters: Redis Stream, memory. Reviews of admission have a journal
 * of their own, because any user may send any number of them. In one journal they would push out decisions. Bounded by
 * age, length and bytes: at a bound the oldest entries are dropped. Never holds values of environment variables,
 * Secrets or event payloads.
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
  /** When the bridge recorded it, in milliseconds since the epoch. */
  readonly atMs: number;
}

/** The stored form; `DecisionReader` restores snapshot and plan from it. */
export interface DecisionRecord {
  readonly kind: 'decision';
  readonly format: typeof journalFormat;
  /** The event that caused it. */
  readonly cause: string;
  readonly function: string;
  readonly version: string;
  readonly key: ObjectKey;
  readonly nowMs: number;
  /** Whether many decisions were running in the process. Absent: false. */
  readonly isUnderLoad?: boolean | undefined;
  /**
   * Position of the record that this one is the difference from: an earlier one of the same function and object.
   * Absent: it stands alone.
   */
  readonly base?: string;
  /** Redacted. Without a base, the difference from nothing. */
  readonly snapshot: Delta;
  /** Redacted. */
  readonly plan: StoredPlan;
  readonly reasons: readonly Reason[];
  readonly requeueAtMs?: number;
  /** Other objects that the decision depends on, at the versions that were read. */
  readonly restsOn?: readonly Ground[];
  /** `applied`, `unchanged`, `gone`, `aborted`, `rejected`, `conflict` or the code of an error. */
  readonly outcome: string;
  /** For people: which write was refused and why, or what the error says. Absent in records of earlier versions. */
  readonly detail?: string;
  readonly durationMs: {
    readonly observe: number;
    readonly decide: number;
    readonly apply: number;
  };
}

/** One review and its answer; `shared/admission/review-record.ts` makes it. */
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
  /** Size of the objects and facts that were left out. */
  readonly leftOutBytes?: number;
}

export type JournalRecord = EventRecord | DecisionRecord | ReviewedRecord;

export interface JournalEntry<Record extends JournalRecord = JournalRecord> {
  /** Positions sort as text in the order of appending, and each is used once. */
  readonly position: string;
  readonly record: Record;
}

export interface Appended {
  /** Position of the last stored record. Undefined: all were repeats. */
  readonly position?: string;
  /** Position of the journal's oldest entry. Undefined: it has none. */
  readonly oldest?: string;
  /** Size of the given records, as the bound on bytes counts it. */
  readonly bytes: number;
}

export interface Journal {
  /**
   * Returns when the records are stored. Drops the oldest entries at a bound, or if the store is full. Throws
   * MR_QUEUE_UNAVAILABLE within a time limit.
   */
  append(records: readonly JournalRecord[]): Promise<Appended>;
  /** Entries after `position`, oldest first. Absent: from the oldest. */
  read(after: string | undefined, limit: number): Promise<readonly JournalEntry[]>;
  /**
   * Changes when the store lost its data (FLUSHALL, an empty replacement). The bridge compares it with the last known
   * one and publishes everything again if it differs.
   */
  epoch(): Promise<string>;
  close(): Promise<void>;
}
