/** How much of the past the journal keeps: whatever is reached first drops the oldest. */
export interface JournalBounds {
  /** Entries kept, at least; a store may keep somewhat more. */
  readonly maxEntries: number;
  /** Age up to which entries are kept, in milliseconds. */
  readonly maxAgeMs: number;
  /** Bytes of the records' JSON in UTF-8; never exceeded, whatever an entry holds. */
  readonly maxBytes: number;
  /** How long the id of a recorded event is remembered, so that a repeat is not recorded again. */
  readonly seenMs: number;
}

const dayMs = 24 * 3_600_000;

/** For a store of its own, such as Redis. */
export const defaultBounds: JournalBounds = {
  maxEntries: 200_000,
  maxAgeMs: 7 * dayMs,
  maxBytes: 256 * 1024 * 1024,
  seenMs: 10 * 60_000,
};
